import { useState } from 'preact/hooks'
import { flawOf, LENGTH_MIN } from '../keys/passphrase.js'
import { text } from '../languages/language.js'
import { Field, Form, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import type { Session } from '../session/session.js'
import type { Intended } from './welcome.js'

interface PassphraseProps {
  readonly session: Session
  readonly intended: Intended
  readonly onBack: () => void
}

/** The passphrase of a new vault. */
export function Passphrase({ session, intended, onBack }: PassphraseProps) {
  const [passphrase, setPassphrase] = useState('')
  const [again, setAgain] = useState('')
  const [suggested, setSuggested] = useState<string | null>(null)
  const [isChecked, setChecked] = useState(false)
  const work = useWork()
  const flaw = flawOf(passphrase, ownWords(intended))
  const differs = passphrase !== again
  const keep = async () => {
    setChecked(true)
    if (flaw !== null || differs) return
    if (intended.kind === 'key') await session.takeKey(intended.owner, intended.privateKey, passphrase)
    else await session.create(intended.phrase, intended.onboardingName, passphrase)
  }
  const suggest = async () => {
    const words = await session.keys.ask('newPassphrase')
    setSuggested(words)
    setPassphrase(words)
  }
  const input = { type: 'password', autocomplete: 'new-password' } as const
  return (
    <Screen title={text('passphraseTitle')}>
      <p>{text('passphraseText')}</p>
      <button type="button" onClick={() => void work.run(suggest)}>
        {text('passphraseSuggest')}
      </button>
      <div role="status">
        {suggested !== null && (
          <>
            <p class="suggested" dir="ltr" translate={false}>
              {suggested}
            </p>
            <p class="hint">{text('passphraseSuggested')}</p>
          </>
        )}
      </div>
      <Form work={work} onSubmit={keep} submit={text('next')}>
        <Field
          label={text('passphrase')}
          value={passphrase}
          onValue={setPassphrase}
          flaw={isChecked ? flawText(flaw) : null}
          input={input}
        />
        <Field
          label={text('passphraseAgain')}
          value={again}
          onValue={setAgain}
          flaw={isChecked && flaw === null && differs ? text('passphraseDiffers') : null}
          input={input}
        />
      </Form>
      <button type="button" onClick={onBack}>
        {text('back')}
      </button>
    </Screen>
  )
}

/** What whoever has the device knows of the shop. */
function ownWords(intended: Intended): readonly string[] {
  const name = intended.kind === 'key' ? intended.owner : intended.onboardingName
  return [...location.hostname.split('.'), name, ...name.split('.')]
}

function flawText(flaw: ReturnType<typeof flawOf>): string | null {
  if (flaw === null) return null
  return flaw === 'short' ? text('passphraseShort', { count: LENGTH_MIN }) : text('passphraseGuessable')
}
