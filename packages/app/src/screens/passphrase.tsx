import { useState } from 'preact/hooks'
import { text } from '../languages/language.js'
import { Field, Form, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import type { Session } from '../session/session.js'
import type { Intended } from './welcome.js'

/** Characters at least. docs/security/web-wallet.md says what guessing one costs. */
const LENGTH_MIN = 10

interface PassphraseProps {
  readonly session: Session
  readonly intended: Intended
  readonly onBack: () => void
}

/** The passphrase of a new vault. */
export function Passphrase({ session, intended, onBack }: PassphraseProps) {
  const [passphrase, setPassphrase] = useState('')
  const [again, setAgain] = useState('')
  const [isChecked, setChecked] = useState(false)
  const work = useWork()
  const isShort = [...passphrase].length < LENGTH_MIN
  const differs = passphrase !== again
  const keep = async () => {
    setChecked(true)
    if (isShort || differs) return
    if (intended.kind === 'key') await session.takeKey(intended.owner, intended.privateKey, passphrase)
    else await session.create(intended.phrase, intended.onboardingName, passphrase)
  }
  const input = { type: 'password', autocomplete: 'new-password' } as const
  return (
    <Screen title={text('passphraseTitle')}>
      <p>{text('passphraseText')}</p>
      <Form work={work} onSubmit={keep} submit={text('next')}>
        <Field
          label={text('passphrase')}
          value={passphrase}
          onValue={setPassphrase}
          flaw={isChecked && isShort ? text('passphraseShort', { count: LENGTH_MIN }) : null}
          input={input}
        />
        <Field
          label={text('passphraseAgain')}
          value={again}
          onValue={setAgain}
          flaw={isChecked && !isShort && differs ? text('passphraseDiffers') : null}
          input={input}
        />
      </Form>
      <button type="button" onClick={onBack}>
        {text('back')}
      </button>
    </Screen>
  )
}
