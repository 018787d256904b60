import type { RatesRecord, WithheldRate } from '../http/routes/rates.js'
import { type Columns, timeText } from '../listing/column.js'
import { checkService, onService, withApi } from './api.js'
import type { BillhookCommand, Given } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { jsonLine } from './output.js'
import { TextTable } from './text-table.js'

/** A coin in a currency, as the API answers it. */
interface Pair {
  readonly currency: string
  readonly coin: string
  /** Null while none is in force. */
  readonly rate: string | null
  readonly withheld: WithheldRate | null
}

const WITHOUT: Readonly<Record<WithheldRate['why'], string>> = {
  held: 'held back, it jumped',
  left_out: 'left out',
  old: 'too old',
}

const COLUMNS: Columns<Pair> = {
  currency: { title: 'Currency', kind: 'word', of: ({ currency }) => currency },
  coin: { title: 'Coin', kind: 'word', of: ({ coin }) => coin },
  rate: { title: 'In force', kind: 'figure', of: ({ rate }) => rate },
  why: { title: 'Why not', of: ({ withheld }) => withheld && WITHOUT[withheld.why] },
  held: { title: 'Held back', kind: 'figure', of: ({ withheld }) => withheld?.held?.rate ?? null },
}

export function ratesCommand(program: BillhookCommand): void {
  onService(program.add('rates', 'Show which rates are in force, and which are not and why.')).runs(show, checkService)
}

async function show(given: Given): Promise<number> {
  return await withApi(given, async (api, io) => {
    const record = (await api.call({ tag: 'GET /api/rates' })).body as RatesRecord
    if (given.options['json'] === true) {
      io.out(jsonLine(record))
      return EXIT_SUCCESS
    }
    io.out(summaryOf(record))
    const table = new TextTable(Object.values(COLUMNS), io.print)
    for (const pair of pairsOf(record)) await table.add(pair)
    await table.flush()
    return EXIT_SUCCESS
  })
}

/** The rates in a line. */
export function summaryOf({ source, at, age_seconds, max_age_seconds, spread, rates, withheld }: RatesRecord): string {
  if (source === 'off') return 'Rates: off'
  if (at === null) return `Rates: none have come yet, source ${source}`
  const counts = Object.entries(rates).map(([currency, coins]) => `${Object.keys(coins).length} in ${currency}`)
  const inForce = counts.length === 0 ? 'none in force' : `${counts.join(', ')}`
  const rest = withheld.length === 0 ? '' : `; ${withheld.length} withheld`
  const charged = spread === '0' ? '' : `, spread ${spread} %`
  return `Rates: ${inForce}${rest}; of ${timeText(at)}, ${age_seconds} s old (${max_age_seconds} s allowed), source ${source}${charged}`
}

function pairsOf({ rates, withheld }: RatesRecord): readonly Pair[] {
  const inForce = Object.entries(rates).flatMap(([currency, coins]) =>
    Object.entries(coins).map(([coin, rate]): Pair => ({ currency, coin, rate, withheld: null })),
  )
  const others = withheld.map((one): Pair => ({ currency: one.currency, coin: one.coin, rate: null, withheld: one }))
  const nameOf = ({ currency, coin }: Pair) => `${currency} ${coin}`
  return [...inForce, ...others].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
}
