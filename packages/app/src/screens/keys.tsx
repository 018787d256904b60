import { type ApiKey, keySigner } from '@billhook/client'
import { useEffect, useState } from 'preact/hooks'
import { type KeyState, stateOfKey } from '../api-keys/key-state.js'
import type { KeyParts } from '../api-keys/key-text.js'
import { keysAsCsv } from '../csv/tables.js'
import type { Desk } from '../desk/desk.js'
import type { TextKey } from '../languages/en.js'
import { text, timeText } from '../languages/language.js'
import { Failure, Field, Form, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { SaveCsv } from '../parts/save-csv.js'
import { Sure } from '../parts/sure.js'
import type { Session } from '../session/session.js'
import { MadeKey } from './made-key.js'

const KEY_BYTES = 32

const STATES: Readonly<Record<KeyState, TextKey>> = {
  active: 'keyActive',
  revoked: 'keyRevoked',
  expired: 'keyExpired',
}

export function Keys({ desk, session }: { readonly desk: Desk; readonly session: Session }) {
  const { billhook, ended } = desk.shop
  const [keys, setKeys] = useState<readonly ApiKey[] | null>(null)
  const [made, setMade] = useState<KeyParts | null>(null)
  const work = useWork()
  const load = async () => setKeys(await billhook.listApiKeys({ signal: ended }))
  useEffect(() => {
    void work.run(load)
  }, [billhook])
  const revoke = async (id: string) => {
    await billhook.revokeApiKey(id, { signal: ended })
    await load()
  }
  if (made !== null) return <MadeKey made={made} onDone={() => setMade(null)} />
  return (
    <Screen title={text('keysTitle')}>
      <p>{text('keysText')}</p>
      <Failure error={work.error} />
      <NewKey
        desk={desk}
        session={session}
        onMade={async (parts) => {
          setMade(parts)
          await load()
        }}
      />
      {keys === null && work.error === null && <p>{text('loading')}</p>}
      <ul class="cards">
        {keys?.map((key) => (
          <li key={key.id}>
            <KeyCard desk={desk} apiKey={key} onRevoke={() => revoke(key.id)} />
          </li>
        ))}
      </ul>
      <SaveCsv name="keys" count={keys?.length ?? 0} csv={() => keysAsCsv(keys ?? [], Date.now())} />
    </Screen>
  )
}

interface KeyCardProps {
  readonly desk: Desk
  readonly apiKey: ApiKey
  readonly onRevoke: () => Promise<void>
}

function KeyCard({ desk, apiKey, onRevoke }: KeyCardProps) {
  const state = stateOfKey(apiKey, Date.now())
  return (
    <>
      <p class="name">
        <bdi>{apiKey.label}</bdi>
      </p>
      <p>
        <span class={`state ${state}`} data-state={state}>
          {text(STATES[state])}
        </span>{' '}
        {apiKey.public_key === desk.shop.signedBy && text('keyOwn')}
      </p>
      <p class="quiet">
        {text('created')} {timeText(apiKey.created_at)}
        <br />
        {apiKey.expires_at !== null && text('keyExpires', { time: timeText(apiKey.expires_at) })}
      </p>
      {state === 'active' && <Sure name={text('keyRevoke')} warning={text('keyRevokeWarning')} onSure={onRevoke} />}
    </>
  )
}

interface NewKeyProps {
  readonly desk: Desk
  readonly session: Session
  readonly onMade: (made: KeyParts) => Promise<void>
}

/** Makes a key. Its private half is for somebody else, so it does not go into the vault. */
function NewKey({ desk, session, onMade }: NewKeyProps) {
  const { shop, info } = desk
  const [label, setLabel] = useState('')
  const [days, setDays] = useState('')
  const [isChecked, setChecked] = useState(false)
  const work = useWork()
  if (info.strict && shop.identity === null) return <p>{text('keysByIdentity')}</p>
  const make = async () => {
    setChecked(true)
    if (label.trim() === '') return
    const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES))
    const privateKey = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const { publicKey } = keySigner(privateKey)
    const identity = shop.identity === null ? undefined : session.keys.signer('identity', shop.identity)
    const draft = { label: label.trim(), publicKey, ...(days === '' ? {} : { ttlDays: Number(days) }) }
    await shop.billhook.registerApiKey(draft, { identity: info.strict ? identity : undefined, signal: shop.ended })
    await onMade({ url: desk.url, owner: shop.owner, label: label.trim(), publicKey, privateKey })
  }
  return (
    <details>
      <summary>{text('newKey')}</summary>
      <Form work={work} onSubmit={make} submit={text('keyMake')}>
        <Field
          label={text('keyLabel')}
          value={label}
          onValue={setLabel}
          flaw={isChecked && label.trim() === '' ? text('keyLabelEmpty') : null}
          input={{ maxLength: 60 }}
        />
        <Field
          label={text('keyDays')}
          value={days}
          onValue={setDays}
          input={{ type: 'number', min: 1, max: 36_500, inputMode: 'numeric' }}
        />
      </Form>
    </details>
  )
}
