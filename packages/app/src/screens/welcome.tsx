import { useState } from 'preact/hooks'
import { text } from '../languages/language.js'
import { Screen } from '../parts/frame.js'
import { LanguageChoice } from '../parts/language-choice.js'
import type { Session } from '../session/session.js'
import { GivenKey } from './given-key.js'
import { NewPhrase } from './new-phrase.js'
import { Passphrase } from './passphrase.js'
import { Restore } from './restore.js'

/** What a vault will hold, once there is a passphrase for it. */
export type Intended =
  | { readonly kind: 'identity'; readonly phrase: string; readonly onboardingName: string }
  | { readonly kind: 'key'; readonly owner: string; readonly privateKey: string }

type Step = 'choose' | 'new' | 'restore' | 'key'

/** Where a browser that holds nothing begins. */
export function Welcome({ session }: { readonly session: Session }) {
  const [step, setStep] = useState<Step>('choose')
  const [intended, setIntended] = useState<Intended | null>(null)
  const back = () => {
    setIntended(null)
    setStep('choose')
  }
  if (intended !== null) return <Passphrase session={session} intended={intended} onBack={back} />
  if (step !== 'choose' && session.service.value === null) return <p class="starting">{text('loading')}</p>
  const shared = { session, onBack: back, onIntended: setIntended }
  if (step === 'new') return <NewPhrase {...shared} />
  if (step === 'restore') return <Restore {...shared} />
  if (step === 'key') return <GivenKey {...shared} />
  const ways = [
    ['new', text('newIdentity'), text('newIdentityHint')],
    ['restore', text('restoreIdentity'), text('restoreIdentityHint')],
    ['key', text('useKey'), text('useKeyHint')],
  ] as const
  return (
    <Screen title={text('welcomeTitle')}>
      <p>{text('welcomeText')}</p>
      <ul class="ways">
        {ways.map(([way, name, hint]) => (
          <li key={way}>
            <button type="button" onClick={() => setStep(way)}>
              {name}
              <span>{hint}</span>
            </button>
          </li>
        ))}
      </ul>
      <LanguageChoice />
    </Screen>
  )
}

export interface IntendingProps {
  readonly session: Session
  readonly onBack: () => void
  readonly onIntended: (intended: Intended) => void
}
