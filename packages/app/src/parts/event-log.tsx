import type { BillhookEvent } from '@billhook/client'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { eventsAsCsv } from '../csv/tables.js'
import type { Desk } from '../desk/desk.js'
import { readable } from '../events/deposits.js'
import { readLog } from '../events/log.js'
import type { TextKey } from '../languages/en.js'
import { text, timeText } from '../languages/language.js'
import { Failure, useWork } from './form.js'
import { SaveCsv } from './save-csv.js'

/** Lines that are shown. The file has all. */
const SHOWN_MAX = 100

/** What happened in words. What is not here has none, and is shown as the service names it. */
const WORDS: Readonly<Record<string, TextKey | undefined>> = {
  'invoice.created': 'created',
  'invoice.paid': 'statePaid',
  'invoice.unpaid': 'eventUnpaid',
  'invoice.accepted': 'stateAccepted',
  'invoice.expired': 'stateExpired',
  'invoice.voided': 'stateVoid',
  'order.created': 'created',
  'order.partly': 'statusPartly',
  'order.paid': 'statusPaid',
  'order.unpaid': 'eventUnpaid',
  'order.accepted': 'stateAccepted',
  'order.expired': 'statusExpired',
  'order.voided': 'statusVoid',
  'order.overpaid': 'overpaid',
  'deposit.pending': 'pendingAmount',
  'deposit.confirmed': 'received',
  'deposit.dropped': 'eventDropped',
  'delivery.failed': 'eventDelivery',
}

interface EventLogProps {
  readonly desk: Desk
  readonly fits: (event: BillhookEvent) => boolean
  /** What stands above the lines. */
  readonly above?: (log: readonly BillhookEvent[]) => ComponentChildren
}

/** What happened, newest first. It is read when somebody asks for it. */
export function EventLog({ desk, fits, above }: EventLogProps) {
  const [log, setLog] = useState<readonly BillhookEvent[] | null>(null)
  const work = useWork()
  const { billhook, ended } = desk.shop
  const look = async () => setLog(await readLog(billhook, fits, ended))
  return (
    <div class="log">
      <p class="hint">{text('logKept')}</p>
      <Failure error={work.error} />
      <button type="button" disabled={work.isWorking} onClick={() => void work.run(look)}>
        {text(work.isWorking ? 'working' : 'lookUp')}
      </button>
      <div aria-live="polite">
        {log?.length === 0 && <p>{text('nothingFound')}</p>}
        {log !== null && above?.(log)}
      </div>
      <ol class="cards">
        {log?.slice(0, SHOWN_MAX).map((event) => (
          <li key={event.id}>
            <Line desk={desk} event={event} />
          </li>
        ))}
      </ol>
      <SaveCsv name="events" count={log?.length ?? 0} csv={() => eventsAsCsv(log ?? [], desk.info)} />
    </div>
  )
}

function Line({ desk, event }: { readonly desk: Desk; readonly event: BillhookEvent }) {
  const { type, at, deposit, invoiceId, orderId, orderNumber, reference } = event
  const what = orderNumber ?? reference ?? text(invoiceId === null ? 'orderTitle' : 'invoiceTitle')
  const word = WORDS[type]
  const place = invoiceId === null ? `#/orders/${orderId}` : `#/invoices/${invoiceId}`
  return (
    <>
      {word === undefined ? <span dir="ltr">{type}</span> : text(word)}{' '}
      {deposit !== null && <bdi class="figure">{readable(deposit, desk.info)?.text}</bdi>}
      <br />
      <span class="quiet">{timeText(at)}</span>{' '}
      {(invoiceId !== null || orderId !== undefined) && (
        <a href={place}>
          <bdi>{what}</bdi>
        </a>
      )}
      {deposit !== null && (
        <>
          <br />
          <code dir="ltr">{deposit.txHash}</code>
        </>
      )}
    </>
  )
}
