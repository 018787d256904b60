import { useState } from 'preact/hooks'
import { readKeyFile } from '../api-keys/key-text.js'
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
  // The whole file may be pasted into either field.
  const take = (given: string, otherwise: (value: string) => void) => {
    const file = readKeyFile(given)
    if (file === null) return otherwise(given)
    setOwner(file.owner)
    setPrivateKey(file.privateKey)
  }
  const input = { required: true, autocapitalize: 'none', spellcheck: false, dir: 'ltr' } as const
  return (
    <Screen title={text('keyTitle')}>
      <p>{text('keyPaste')}</p>
      <Form work={work} onSubmit={check} submit={text('next')}>
        <Field label={text('keyOwner')} value={owner} onValue={(given) => take(given, setOwner)} input={input} />
        <Field
          label={text('keyPrivate')}
          value={privateKey}
          onValue={(given) => take(given, setPrivateKey)}
          input={{ ...input, type: 'password' }}
        />
      </Form>
      <button type="button" onClick={onBack}>
        {text('back')}
      </button>
    </Screen>
  )
}
