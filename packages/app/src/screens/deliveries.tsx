import type { WebhookDelivery } from '@billhook/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { deliveriesAsCsv } from '../csv/tables.js'
import type { Desk } from '../desk/desk.js'
import { text, timeText } from '../languages/language.js'
import { Choice, Failure, useWork } from '../parts/form.js'
import { SaveCsv } from '../parts/save-csv.js'

/** Rows that are added at once. */
const ROWS = 25
/** Deliveries that one search looks at before it asks whether to go on. */
const LOOKED_AT_MAX = 2000

const ALL = 'all'
const DECIDED = ['delivered', 'failed'] as const

/** What was sent, newest first, and once more where somebody wants it. */
export function Deliveries({ desk }: { readonly desk: Desk }) {
  const { billhook, ended } = desk.shop
  const [rows, setRows] = useState<readonly WebhookDelivery[]>([])
  const [hasMore, setMore] = useState(true)
  const [state, setState] = useState<WebhookDelivery['state'] | null>(null)
  const source = useRef<AsyncGenerator<WebhookDelivery, void> | null>(null)
  const work = useWork()
  const more = async (before: readonly WebhookDelivery[]) => {
    source.current ??= billhook.listWebhookDeliveries({ signal: ended })
    const found: WebhookDelivery[] = []
    for (let looked = 0; looked < LOOKED_AT_MAX && found.length < ROWS; looked++) {
      const { value, done } = await source.current.next()
      if (done === true || value === undefined) {
        setMore(false)
        break
      }
      if (state === null || value.state === state) found.push(value)
    }
    setRows([...before, ...found])
  }
  useEffect(() => {
    source.current = null
    setRows([])
    setMore(true)
    void work.run(() => more([]))
  }, [billhook, state])
  const again = async (id: string) => {
    const sent = await billhook.redeliverWebhook(id, { signal: ended })
    setRows(rows.map((row) => (row.id === id ? sent : row)))
  }
  return (
    <section>
      <h2>{text('deliveries')}</h2>
      <Choice
        label={text('filterState')}
        value={state ?? ALL}
        disabled={work.isWorking}
        onValue={(value) => setState(DECIDED.find((one) => one === value) ?? null)}
        options={[
          [ALL, text('filterAll')],
          ['delivered', text('deliveryDelivered')],
          ['failed', text('deliveryFailed')],
        ]}
      />
      <Failure error={work.error} />
      {rows.length === 0 && !hasMore && <p>{text(state === null ? 'noDeliveries' : 'nothingFound')}</p>}
      <ul class="cards">
        {rows.map((row) => (
          <li key={row.id}>
            <p>
              <span class={`state ${row.state}`} data-state={row.state}>
                {stateText(row)}
              </span>{' '}
              <span dir="ltr">{row.event?.type ?? row.status ?? ''}</span>{' '}
              {row.reference !== null && <bdi>{row.reference}</bdi>}
            </p>
            <p class="quiet">
              {timeText(row.createdAt)} <bdi>{row.url}</bdi>{' '}
              {row.failure ?? (row.httpStatus === null ? '' : `HTTP ${row.httpStatus}`)}
            </p>
            {row.state === 'failed' && (
              <button type="button" disabled={work.isWorking} onClick={() => void work.run(() => again(row.id))}>
                {text('redeliver')}
              </button>
            )}
          </li>
        ))}
      </ul>
      {hasMore && !(work.isWorking && rows.length === 0) && (
        <button type="button" disabled={work.isWorking} onClick={() => void work.run(() => more(rows))}>
          {text('loadMore')}
        </button>
      )}
      <SaveCsv name="deliveries" count={rows.length} csv={() => deliveriesAsCsv(rows)} />
    </section>
  )
}

function stateText({ state, nextAttemptAt }: WebhookDelivery): string {
  switch (state) {
    case 'queued':
      return text('deliveryQueued')
    case 'sending':
      return text('deliverySending')
    case 'waiting':
      return text('deliveryWaiting', { time: nextAttemptAt === null ? '–' : timeText(nextAttemptAt) })
    case 'delivered':
      return text('deliveryDelivered')
    case 'failed':
      return text('deliveryFailed')
  }
}
