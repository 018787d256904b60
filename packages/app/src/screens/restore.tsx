import { useState } from 'preact/hooks'
import { text } from '../languages/language.js'
import { Field, Form, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { OnboardingName } from './onboarding-name.js'
import type { IntendingProps } from './welcome.js'

/** An identity from its words. */
export function Restore({ session, onBack, onIntended }: IntendingProps) {
  const [phrase, setPhrase] = useState('')
  const [onboardingName, setOnboardingName] = useState(session.info.ledger?.onboardingName ?? '')
  const work = useWork()
  const check = async () => {
    await session.keys.ask('checkPhrase', phrase)
    onIntended({ kind: 'identity', phrase, onboardingName })
  }
  return (
    <Screen title={text('restoreTitle')}>
      <Form work={work} onSubmit={check} submit={text('next')} disabled={onboardingName === ''}>
        <Field
          label={text('restoreLabel')}
          value={phrase}
          onValue={setPhrase}
          input={{ required: true, autocapitalize: 'none', spellcheck: false, dir: 'ltr' }}
        />
        <OnboardingName session={session} value={onboardingName} onValue={setOnboardingName} />
      </Form>
      <button type="button" onClick={onBack}>
        {text('back')}
      </button>
    </Screen>
  )
}
