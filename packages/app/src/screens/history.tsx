import type { BillhookEvent } from '@billhook/client'
import { useState } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { text, timeText } from '../languages/language.js'
import { Failure, useWork } from '../parts/form.js'

interface Line {
  readonly event: BillhookEvent
  /** What came with a deposit; null for other events. */
  readonly amount: string | null
}

/** What happened to an invoice, its deposits among it. The service lists events of the whole shop, so they are looked up when asked for. */
export function History({ desk, id }: { readonly desk: Desk; readonly id: string }) {
  const [lines, setLines] = useState<readonly Line[] | null>(null)
  const work = useWork()
  const look = async () => {
    const { billhook, ended } = desk.shop
    const found: Line[] = []
    for await (const event of billhook.listEvents({ pageSize: 1000, signal: ended })) {
      if (event.invoiceId !== id) continue
      const { deposit } = event
      const amount = deposit === null ? null : (await billhook.amountOf(deposit, { signal: ended })).text
      found.push({ event, amount })
    }
    setLines(found)
  }
  return (
    <section>
      <h2>{text('timeline')}</h2>
      <Failure error={work.error} />
      <button type="button" disabled={work.isWorking} onClick={() => void work.run(look)}>
        {text('lookUp')}
      </button>
      <ol class="history">
        {lines?.map(({ event, amount }) => (
          <li key={event.id}>
            <span dir="ltr">{event.type}</span> {timeText(event.at)} {amount !== null && <bdi>{amount}</bdi>}{' '}
            {event.deposit !== null && <code dir="ltr">{event.deposit.txHash}</code>}
          </li>
        ))}
      </ol>
    </section>
  )
}
