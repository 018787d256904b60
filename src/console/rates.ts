import { type RateTable, ratesAt } from '../domain/rates.js'
import { type RatesInUse, ratesRecord } from '../http/routes/rates.js'
import { rateColumns, receiptColumns } from '../listing/rates.js'
import { markup } from '../page/markup.js'
import type { ConsolePage } from './layout.js'
import { facts, moment, table } from './table.js'

/** Which rates are in force, what is held back and why, and what came last. */
export function ratesPage(known: RateTable, inUse: RatesInUse, nowMs: number): ConsolePage {
  const { source, at, age_seconds: age, max_age_seconds: maxAge, spread } = ratesRecord(known, inUse, nowMs)
  const content = markup`<p><a href="">Refresh</a></p>
${facts([
  ['Source', source],
  ['Present set', at === null ? 'none has come' : moment(at)],
  ['Age', age === null ? null : `${age} s of ${maxAge} s`],
  ['Spread', `${spread} %`],
])}
${table({
  caption: 'The price of one coin',
  columns: rateColumns,
  items: ratesAt(known, inUse.maxAgeMs, nowMs),
  links: {},
  none: source === 'off' ? 'There are no rates: BILLHOOK_RATES is off.' : 'There are no rates yet.',
})}
<h2>What came last</h2>
${table({
  caption: 'What sources gave and what became of it, newest first; a set that came again unchanged is not listed',
  columns: receiptColumns,
  items: known.receipts,
  links: {},
  none: 'Nothing has come.',
})}`
  return { title: 'Rates', section: 'rates', content }
}
