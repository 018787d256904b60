import { useEffect, useMemo, useState } from 'preact/hooks'
import { chosenPlaces, wordsOf, wrongPlace } from '../keys/phrase-check.js'
import { text } from '../languages/language.js'
import { FailedScreen } from '../parts/failed-screen.js'
import { Field, Form, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { OnboardingName } from './onboarding-name.js'
import type { IntendingProps } from './welcome.js'

/** Shows twelve new words once, and asks for three of them. */
export function NewPhrase({ session, onBack, onIntended }: IntendingProps) {
  const [phrase, setPhrase] = useState<string | null>(null)
  const [isWritten, setWritten] = useState(false)
  const work = useWork()
  useEffect(() => {
    void work.run(async () => setPhrase(await session.keys.ask('newPhrase')))
  }, [session])
  if (work.error !== null) return <FailedScreen error={work.error} />
  if (phrase === null) return <p class="starting">{text('loading')}</p>
  if (isWritten) {
    return <Check phrase={phrase} session={session} onBack={() => setWritten(false)} onIntended={onIntended} />
  }
  return (
    <Screen title={text('phraseTitle')}>
      <p>{text('phraseText')}</p>
      <ol class="words" dir="ltr">
        {wordsOf(phrase).map((word) => (
          <li key={word}>{word}</li>
        ))}
      </ol>
      <div class="row">
        <button type="button" class="main" onClick={() => setWritten(true)}>
          {text('phraseWritten')}
        </button>
        <button type="button" onClick={onBack}>
          {text('back')}
        </button>
      </div>
    </Screen>
  )
}

function Check({ phrase, session, onBack, onIntended }: IntendingProps & { readonly phrase: string }) {
  const places = useMemo(() => chosenPlaces(wordsOf(phrase).length, Math.random), [phrase])
  const [given, setGiven] = useState<Readonly<Record<number, string>>>({})
  const [wrong, setWrong] = useState<number | null>(null)
  const [onboardingName, setOnboardingName] = useState(session.info.ledger?.onboardingName ?? '')
  const work = useWork()
  const check = async () => {
    const place = wrongPlace(phrase, places, given)
    setWrong(place)
    if (place === null) onIntended({ kind: 'identity', phrase, onboardingName })
  }
  return (
    <Screen title={text('checkTitle')}>
      <p>{text('checkText')}</p>
      <Form work={work} onSubmit={check} submit={text('next')} disabled={onboardingName === ''}>
        {places.map((place) => (
          <Field
            key={place}
            label={text('wordNumber', { number: place + 1 })}
            value={given[place] ?? ''}
            onValue={(value) => setGiven({ ...given, [place]: value })}
            flaw={wrong === place ? text('checkWrong', { number: place + 1 }) : null}
            input={{ autocapitalize: 'none', spellcheck: false, dir: 'ltr' }}
          />
        ))}
        <OnboardingName session={session} value={onboardingName} onValue={setOnboardingName} />
      </Form>
      <button type="button" onClick={onBack}>
        {text('back')}
      </button>
    </Screen>
  )
}
