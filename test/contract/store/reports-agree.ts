import assert from 'node:assert/strict'
import { formatAmount, parseFormattedAmount } from '../../../src/domain/amount.js'
import { type Deposit, depositValue } from '../../../src/domain/deposit.js'
import { walletsOf } from '../../../src/domain/invoice.js'
import { canonicalAddress, type Network } from '../../../src/domain/network.js'
import { type Period, periodOf } from '../../../src/domain/zone.js'
import { linesOf, type ReportLine, type ReportName } from '../../../src/reports/report.js'
import type { Store } from '../../../src/store/store.js'
import { present, type Scenario } from './harness.js'

const PAGE = 500
const ZONES = ['UTC', 'America/New_York', 'Australia/Lord_Howe']

export function periodIn(zone: string, from: string, to = from): Period {
  const read = periodOf({ from, to, zone })
  return 'period' in read ? read.period : assert.fail(read.wrong)
}

const EVER = periodIn('UTC', '1970-01-01', '2199-12-31')

/** All lines of a report. */
export async function reported(
  store: Store,
  name: ReportName,
  period: Period = EVER,
  owner: string | null = null,
  leftOut = { pending: 0 },
): Promise<readonly ReportLine[]> {
  const lines: ReportLine[] = []
  for await (const some of linesOf(store, name, { period, owner }, leftOut)) lines.push(...some)
  return lines
}

/** What a report says is what the books say: deposits, their sums, and what invoices have received. */
export async function assertReportsAgree(t: Scenario): Promise<void> {
  const { store } = t
  const leftOut = { pending: 0 }
  const lines = await reported(store, 'received', EVER, null, leftOut)
  await assertDeposits(t, lines, leftOut.pending)
  for (const zone of ZONES) await assertDays(store, zone)
  await assertInvoices(t, lines)
}

/** Each confirmed deposit is in it once, with its amount, and no other. */
async function assertDeposits(t: Scenario, lines: readonly ReportLine[], pending: number): Promise<void> {
  const { store } = t
  const { ids, decimals } = store.networks
  const all = []
  for (const network of ids) {
    all.push(...(await t.walk((after) => store.deposits.page(network, { after, limit: PAGE }))).flat())
  }
  const expected = all
    .filter(({ kind }) => kind === 'confirmed')
    .map((deposit) => {
      const { network, txHash, index, receivedAt } = deposit
      return [network, txHash, index, receivedAt, formatAmount(depositValue(deposit, decimals)?.atoms ?? 0n)].join(' ')
    })
  const told = lines.map((line) =>
    [line['network'], line['tx_hash'], line['index'], Date.parse(String(line['received_at'])), line['amount']].join(
      ' ',
    ),
  )
  // A report has whole seconds.
  const inSeconds = (text: string) => text.replace(/ (\d{10})\d{3} /, ' $1 ')
  assert.deepEqual(told.map(inSeconds).sort(), expected.map(inSeconds).sort())
  assert.equal(pending, all.filter(({ kind }) => kind === 'pending').length)
}

/** The lines of each day are in the report of that day, and add up to its sums. */
async function assertDays(store: Store, zone: string): Promise<void> {
  const ever = periodIn(zone, '1970-01-01', '2199-12-31')
  const lines = await reported(store, 'received', ever)
  const days = [...new Set(lines.map(({ day }) => String(day)))].sort()
  const sums = await reported(store, 'daily', ever)
  assert.deepEqual([...new Set(sums.map(({ day }) => day))], days)
  for (const day of days) {
    const ofDay = lines.filter((line) => line['day'] === day)
    assert.deepEqual(await reported(store, 'received', periodIn(zone, day)), ofDay)
    assert.deepEqual(
      await reported(store, 'daily', periodIn(zone, day)),
      sums.filter((sum) => sum['day'] === day),
    )
  }
  for (const sum of sums) {
    const added = lines.filter(
      (line) =>
        ['day', 'network', 'coin'].every((name) => line[name] === sum[name]) &&
        (line['value'] === null ? null : line['price_currency']) === sum['currency'],
    )
    assert.equal(sum['deposits'], added.length)
    const total = (of: (line: ReportLine) => string) => addedUp(added.map(of))
    assert.equal(
      decimal(String(sum['amount'])),
      total(({ amount }) => String(amount)),
    )
    if (sum['value_exact'] !== null) {
      assert.equal(
        decimal(String(sum['value_exact'])),
        total((line) => String(line['value_exact'])),
      )
    }
  }
}

/** An exact number of units of 10⁻³⁶, by another way than the code under test. */
function decimal(text: string): bigint {
  const [, integer = '', fraction = ''] = /^([0-9]+)(?:\.([0-9]+))?$/.exec(text) ?? assert.fail(text)
  return BigInt(integer) * 10n ** 36n + BigInt(fraction.padEnd(36, '0'))
}

function addedUp(texts: readonly string[]): bigint {
  return texts.reduce((sum, text) => sum + decimal(text), 0n)
}

/** What an invoice has received for itself is what is matched to it, and what counts for it of what is matched to none. */
async function assertInvoices(t: Scenario, lines: readonly ReportLine[]): Promise<void> {
  const { store } = t
  const receipts = await receiptsBy(store, lines)
  const invoices = (await t.walk((after) => store.overview.invoices({ after, limit: PAGE }))).flat()
  for (const { invoice, own } of invoices) {
    const places: string[] = []
    for (const id of walletsOf(invoice)) {
      const wallet = await store.wallets.find(id)
      if (wallet?.network != null && wallet.address !== null) places.push(placeOf(wallet.network, wallet.address))
    }
    const matched = receipts.get(invoice.id) ?? []
    for (const { line } of matched) assert.equal(line['owner'], invoice.owner)
    const counted = [...matched, ...[...new Set(places)].flatMap((place) => receipts.get(place) ?? [])].filter(
      ({ deposit, currency }) =>
        deposit.receivedAt > invoice.created_at &&
        places.includes(placeOf(deposit.network, deposit.toAddress)) &&
        currency === invoice.currency,
    )
    const sum = counted.reduce((atoms, { line }) => atoms + parseFormattedAmount(String(line['amount'])), 0n)
    assert.equal(formatAmount(sum), own.received, `invoice ${invoice.id}`)
  }
}

interface Receipt {
  readonly line: ReportLine
  readonly deposit: Deposit
  readonly currency: string | null
}

/** The lines by the invoices that they name; those that name none by where the deposit went. */
async function receiptsBy(
  store: Store,
  lines: readonly ReportLine[],
): Promise<ReadonlyMap<string, readonly Receipt[]>> {
  const found = new Map<string, Receipt[]>()
  for (const line of lines) {
    const { network, tx_hash: txHash, index, invoice } = line
    const deposit = present(await store.deposits.find(String(network), String(txHash), Number(index)))
    const currency = depositValue(deposit, store.networks.decimals)?.currency ?? null
    const name = invoice === null ? placeOf(deposit.network, deposit.toAddress) : String(invoice)
    assert.equal(line['match'] === 'unmatched', invoice === null)
    found.set(name, [...(found.get(name) ?? []), { line, deposit, currency }])
  }
  return found
}

function placeOf(network: Network, address: string): string {
  return `${network} ${canonicalAddress(address)}`
}
