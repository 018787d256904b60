import type { TextKey } from '../languages/en.js'
import { text } from '../languages/language.js'
import { Copyable } from '../parts/copyable.js'
import { Forget } from '../parts/forget.js'
import { Failure } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import type { OnboardingStep } from '../session/onboarding.js'
import type { Phase, Session } from '../session/session.js'

const STEPS: Readonly<Record<OnboardingStep, TextKey>> = {
  looking: 'stepLooking',
  onboarding: 'stepOnboarding',
  waiting: 'stepWaiting',
  operator: 'stepOperator',
  registering: 'stepRegistering',
}

interface OnboardingProps {
  readonly session: Session
  readonly phase: Extract<Phase, { readonly name: 'onboarding' }>
}

/** What happens between an open vault and an open shop. */
export function Onboarding({ session, phase: { owner, step, error } }: OnboardingProps) {
  return (
    <Screen title={text('onboardingTitle')}>
      <p role="status">{text(STEPS[step])}</p>
      {step === 'operator' && <Copyable label={text('settingsIdentity')} value={`billhook identities add ${owner}`} />}
      {error === null ? null : (
        <>
          <Failure error={error} />
          <button type="button" class="main" onClick={() => void session.retry()}>
            {text('tryAgain')}
          </button>
          <Forget session={session} />
        </>
      )}
      <button type="button" onClick={() => void session.lock()}>
        {text('lockNow')}
      </button>
    </Screen>
  )
}
