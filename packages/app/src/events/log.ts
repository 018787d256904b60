import type { Billhook, BillhookEvent } from '@billhook/client'

const PAGE = 1000
/** Entries that one look keeps: the last ones. A busy shop has more in a month than a browser should hold. */
export const LOG_MAX = 20_000

/** What fits of the log of a shop, newest first. The service lists the events of the whole shop, so all are read. */
export async function readLog(
  billhook: Pick<Billhook, 'listEvents'>,
  fits: (event: BillhookEvent) => boolean,
  signal: AbortSignal,
): Promise<readonly BillhookEvent[]> {
  let found: BillhookEvent[] = []
  for await (const event of billhook.listEvents({ pageSize: PAGE, signal })) {
    if (!fits(event)) continue
    found.push(event)
    if (found.length >= 2 * LOG_MAX) found = found.slice(-LOG_MAX)
  }
  return found.slice(-LOG_MAX).reverse()
}
