import type { WebhookDelivery } from '@billhook/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { text, timeText } from '../languages/language.js'
import { Failure, useWork } from '../parts/form.js'

/** Rows that are added at once. */
const ROWS = 25

/** What was sent, newest first, and once more where somebody wants it. */
export function Deliveries({ desk }: { readonly desk: Desk }) {
  const { billhook, ended } = desk.shop
  const [rows, setRows] = useState<readonly WebhookDelivery[]>([])
  const [hasMore, setMore] = useState(true)
  const source = useRef<AsyncGenerator<WebhookDelivery, void> | null>(null)
  const work = useWork()
  const more = async (before: readonly WebhookDelivery[]) => {
    source.current ??= billhook.listWebhookDeliveries({ pageSize: ROWS, signal: ended })
    const found: WebhookDelivery[] = []
    while (found.length < ROWS) {
      const { value, done } = await source.current.next()
      if (done === true || value === undefined) {
        setMore(false)
        break
      }
      found.push(value)
    }
    setRows([...before, ...found])
  }
  useEffect(() => {
    void work.run(() => more([]))
  }, [billhook])
  const again = async (id: string) => {
    const sent = await billhook.redeliverWebhook(id, { signal: ended })
    setRows(rows.map((row) => (row.id === id ? sent : row)))
  }
  return (
    <section>
      <h2>{text('deliveries')}</h2>
      <Failure error={work.error} />
      {rows.length === 0 && !hasMore && <p>{text('noDeliveries')}</p>}
      <ul class="cards">
        {rows.map((row) => (
          <li key={row.id}>
            <p>
              <span class="state" data-state={row.state}>
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
      {hasMore && rows.length > 0 && (
        <button type="button" disabled={work.isWorking} onClick={() => void work.run(() => more(rows))}>
          {text('loadMore')}
        </button>
      )}
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
