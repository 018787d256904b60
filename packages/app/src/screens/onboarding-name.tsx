import { text } from '../languages/language.js'
import { Field } from '../parts/form.js'
import type { Session } from '../session/session.js'

interface OnboardingNameProps {
  readonly session: Session
  readonly value: string
  readonly onValue: (value: string) => void
}

/** The name that identities are made from, where the service does not say it: without a ledger the operator has to. */
export function OnboardingName({ session, value, onValue }: OnboardingNameProps) {
  if (session.info.ledger !== null) return null
  return (
    <Field
      label={text('onboardingNameLabel')}
      hint={text('onboardingNameHint')}
      value={value}
      onValue={onValue}
      input={{ required: true, autocapitalize: 'none', spellcheck: false }}
    />
  )
}
