import type { WebhookSettings, WebhookTest } from '@billhook/client'
import { useEffect, useState } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { text } from '../languages/language.js'
import { Copyable } from '../parts/copyable.js'
import { Choice, Failure, Field, Form, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { Sure } from '../parts/sure.js'
import { Deliveries } from './deliveries.js'

type Payload = NonNullable<Parameters<Desk['shop']['billhook']['setWebhook']>[0]['payload']>

/** Where webhooks go, and what became of them. */
export function Webhooks({ desk }: { readonly desk: Desk }) {
  const { billhook, ended } = desk.shop
  const [settings, setSettings] = useState<WebhookSettings | null>(null)
  const [isSaved, setSaved] = useState(false)
  const work = useWork()
  const load = async () => setSettings(await billhook.getWebhook({ signal: ended }))
  const keep = (changed: WebhookSettings) => {
    setSettings(changed)
    setSaved(true)
  }
  useEffect(() => {
    void work.run(load)
  }, [billhook])
  return (
    <Screen title={text('webhooksTitle')}>
      <p>{text('webhookText')}</p>
      <Failure error={work.error} />
      {settings === null ? (
        work.error === null && <p>{text('loading')}</p>
      ) : (
        <Configured key={settings.updated_at} desk={desk} settings={settings} onSettings={keep} onGone={load} />
      )}
      <p role="status">{isSaved && text('saved')}</p>
      <Deliveries desk={desk} />
    </Screen>
  )
}

interface ConfiguredProps {
  readonly desk: Desk
  readonly settings: WebhookSettings
  readonly onSettings: (settings: WebhookSettings) => void
  readonly onGone: () => Promise<void>
}

function Configured({ desk, settings, onSettings, onGone }: ConfiguredProps) {
  const { billhook, ended } = desk.shop
  const [url, setUrl] = useState(settings.callback_url ?? '')
  const [payload, setPayload] = useState<Payload>(settings.payload ?? 'specified')
  const work = useWork()
  const save = async () => {
    onSettings(await billhook.setWebhook({ callbackUrl: url.trim(), payload }, { signal: ended }))
  }
  const payloads = [
    ['specified', text('payloadSpecified')],
    ['with-invoice', text('payloadWithInvoice')],
    ['events', text('payloadEvents')],
  ] as const
  return (
    <>
      <Form work={work} onSubmit={save} submit={text('save')}>
        <Field
          label={text('webhookUrl')}
          value={url}
          onValue={setUrl}
          input={{ required: true, type: 'url', dir: 'ltr', maxLength: 2048 }}
        />
        <Choice
          label={text('webhookPayload')}
          value={payload}
          onValue={(value) => setPayload(payloads.find(([one]) => one === value)?.[0] ?? 'specified')}
          options={payloads}
        />
      </Form>
      {settings.callback_url !== null && <Test desk={desk} />}
      {settings.secret !== null && (
        <>
          <Secret secret={settings.secret} />
          <div class="row">
            <Sure
              name={text('webhookRotate')}
              warning={text('webhookRotateWarning')}
              onSure={async () => onSettings(await billhook.rotateWebhookSecret({}, { signal: ended }))}
            />
            <Sure
              name={text('webhookDelete')}
              warning={text('webhookDeleteWarning')}
              onSure={async () => {
                await billhook.deleteWebhook({ signal: ended })
                await onGone()
              }}
            />
          </div>
        </>
      )}
    </>
  )
}

function Secret({ secret }: { readonly secret: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <>
      <h2>{text('webhookSecret')}</h2>
      {isShown ? (
        <Copyable value={secret} label={text('webhookSecret')} />
      ) : (
        <p>
          <button type="button" onClick={() => setShown(true)}>
            {text('showSecret')}
          </button>
        </p>
      )}
    </>
  )
}

function Test({ desk }: { readonly desk: Desk }) {
  const [outcome, setOutcome] = useState<WebhookTest | null>(null)
  const work = useWork()
  const send = async () => {
    setOutcome(null)
    setOutcome(await desk.shop.billhook.testWebhook({ signal: desk.shop.ended }))
  }
  return (
    <>
      <p>
        <button type="button" disabled={work.isWorking} onClick={() => void work.run(send)}>
          {text(work.isWorking ? 'working' : 'webhookTest')}
        </button>
      </p>
      <Failure error={work.error} />
      <p role="status">{outcome !== null && wordsFor(outcome)}</p>
    </>
  )
}

function wordsFor({ state, httpStatus, failure, durationMs }: WebhookTest): string {
  if (state === 'delivered') return text('webhookDelivered', { status: httpStatus ?? '', ms: durationMs ?? '' })
  return text('webhookFailed', { why: failure ?? `HTTP ${httpStatus ?? ''}` })
}
