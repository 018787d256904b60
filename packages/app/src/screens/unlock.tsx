import { useState } from 'preact/hooks'
import { text } from '../languages/language.js'
import { Forget } from '../parts/forget.js'
import { Field, Form, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { LanguageChoice } from '../parts/language-choice.js'
import type { Session } from '../session/session.js'

export function Unlock({ session, owner }: { readonly session: Session; readonly owner: string }) {
  const [passphrase, setPassphrase] = useState('')
  const work = useWork()
  return (
    <Screen title={text('unlockTitle')}>
      <Form work={work} onSubmit={() => session.unlock(passphrase)} submit={text('unlock')}>
        <p>{text('unlockText', { owner: shortId(owner) })}</p>
        <Field
          label={text('passphrase')}
          value={passphrase}
          onValue={setPassphrase}
          input={{ type: 'password', autocomplete: 'current-password', required: true }}
        />
      </Form>
      <p class="hint">{text('forgotten')}</p>
      <Forget session={session} />
      <LanguageChoice />
    </Screen>
  )
}

const SHOWN = 8

/** Enough of an id to know it again. */
function shortId(id: string): string {
  return id.slice(0, SHOWN)
}
