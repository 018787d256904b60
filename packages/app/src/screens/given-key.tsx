import { useState } from 'preact/hooks'
import { text } from '../languages/language.js'
import { Field, Form, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import type { IntendingProps } from './welcome.js'

/** An API key that an employee was given. */
export function GivenKey({ session, onBack, onIntended }: IntendingProps) {
  const [owner, setOwner] = useState('')
  const [privateKey, setPrivateKey] = useState('')
  const work = useWork()
  const check = async () => {
    await session.keys.ask('checkKey', privateKey)
    onIntended({ kind: 'key', owner, privateKey })
  }
  const input = { required: true, autocapitalize: 'none', spellcheck: false, dir: 'ltr' } as const
  return (
    <Screen title={text('keyTitle')}>
      <Form work={work} onSubmit={check} submit={text('next')}>
        <Field label={text('keyOwner')} value={owner} onValue={setOwner} input={input} />
        <Field
          label={text('keyPrivate')}
          value={privateKey}
          onValue={setPrivateKey}
          input={{ ...input, type: 'password' }}
        />
      </Form>
      <button type="button" onClick={onBack}>
        {text('back')}
      </button>
    </Screen>
  )
}
