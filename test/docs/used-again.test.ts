import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Payment } from '../../src/domain/payment.js'
import { projectRoot } from '../support/project-root.js'
import { ServiceFixture } from '../support/service-fixture.js'

/*
 * What the pages tell of wallets that are shared or used again, done: their examples are played against a service, and their tables are
 * read by a shop that knows nothing else.
 */

const OWNER = 'shop'
const UNIT = 1_000_000

interface Shown {
  readonly payment: Payment
  readonly voided_at: number | null
  readonly accepted_at: number | null
}

function page(name: string): string {
  return readFileSync(join(projectRoot, 'docs', name), 'utf8')
}

/** The rows of the table below a heading row that begins so: its cells, without the marks of code. */
function tableOf(text: string, start: string): string[][] {
  const lines = text.split('\n')
  const from = lines.findIndex((line) => line.startsWith(start))
  assert.ok(from >= 0, `there is no table that begins with ${start}`)
  const rest = lines.slice(from + 2)
  const end = rest.findIndex((line) => !line.startsWith('|'))
  return rest.slice(0, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

/** The numbers in a sentence of a page. */
function numbersIn(text: string, sentence: RegExp): string[] {
  const found = sentence.exec(text.replace(/\s+/g, ' '))
  assert.ok(found !== null, `the page does not say ${sentence}`)
  return found.slice(1)
}

/** What a row of the page on reconciliation asks of an invoice. A phrase that is new there has to be added here. */
const CONDITIONS: Readonly<Record<string, (shown: Shown, amount: number) => boolean>> = {
  paid: ({ payment }) => payment.status === 'paid',
  unpaid: ({ payment }) => payment.status === 'unpaid',
  void: ({ voided_at }) => voided_at !== null,
  'not void': ({ voided_at }) => voided_at === null,
  'accepted_at set': ({ accepted_at }) => accepted_at !== null,
  'neither void nor accepted': ({ voided_at, accepted_at }) => voided_at === null && accepted_at === null,
  'pending above 0': ({ payment }) => Number(payment.pending) > 0,
  'own above 0': ({ payment }) => Number(payment.own) > 0,
  'overpaid above 0': ({ payment }) => Number(payment.overpaid) > 0,
  'own little below the amount': ({ payment }, amount) =>
    Number(payment.own) < amount && Number(payment.own) > amount * 0.9,
}

describe('what the pages tell of wallets that are used again', () => {
  let service: ServiceFixture
  let wallets = 0
  let payments = 0

  before(async () => {
    service = await ServiceFixture.start()
  })
  after(() => service.stop())

  /** A wallet that was never used. */
  async function newWallet(): Promise<{ id: string; address: string }> {
    wallets += 1
    const wallet = { id: `wallet-${wallets}`, address: `0xabcd${String(wallets).padStart(36, '0')}`, network: 'SEP' }
    await service.assign(OWNER, wallet)
    return wallet
  }

  async function order(walletId: string, amount: string): Promise<string> {
    const body = { owner: OWNER, walletIds: [walletId], name: 'Tea', amount, currency: 'USDT' }
    const { status, json } = await service.post('/api/invoices', body)
    assert.equal(status, 201, JSON.stringify(json))
    return json.id
  }

  async function pay(address: string, amount: string, type: 'pending' | 'confirmed' = 'confirmed'): Promise<void> {
    payments += 1
    const deposit = { network: 'SEP', txHash: `0x${String(payments).padStart(64, '0')}`, toAddress: address }
    const sent = { currency: 'Tether', amount: String(Number(amount) * UNIT), receivedAt: Date.now() + 1 }
    const [result] = await service.push({
      ...{ id: `payment ${payments}`, type: `deposit.${type}` },
      deposit: { ...deposit, ...sent },
    })
    assert.equal(result?.status, 'applied', JSON.stringify(result))
    // The next invoice is created behind it.
    while (Date.now() <= sent.receivedAt) await new Promise((resolve) => setImmediate(resolve))
  }

  const end = (id: string, how: 'void' | 'accept') => service.post(`/api/invoices/${id}/${how}`, { owner: OWNER })
  const shown = async (id: string): Promise<Shown> => (await service.get(`/api/invoices/${id}`)).json

  /** What the page on reconciliation has a shop do with an order. */
  async function advice(
    id: string,
    state: 'open' | 'shipped' | 'cancelled',
    amount: string,
  ): Promise<readonly string[]> {
    const invoice = await shown(id)
    return tableOf(page('reconciliation.md'), '| `payment` and `voided_at` |').flatMap(
      ([conditions = '', of, todo = '']) => {
        const holds = conditions
          .split(', ')
          .map((phrase) => CONDITIONS[phrase] ?? assert.fail(`who reads "${phrase}"?`))
        return of === state && holds.every((holdsFor) => holdsFor(invoice, Number(amount))) ? [todo] : []
      },
    )
  }

  test('holds of three orders on one wallet: one paid, one cancelled, one paid later', async () => {
    const recipe = page('wallet-per-order.md')
    const [a, c, b] = numbersIn(recipe, /A over (\d+) was paid, C over (\d+) was cancelled, B over (\d+) was paid/)
    assert.ok(a !== undefined && b !== undefined && c !== undefined)
    const wallet = await newWallet()
    const ids = new Map([['A', await order(wallet.id, a)]])
    await pay(wallet.address, a)
    ids.set('C', await order(wallet.id, c))
    await end(ids.get('C') ?? '', 'void')
    ids.set('B', await order(wallet.id, b))
    await pay(wallet.address, b)
    const rows = tableOf(recipe, '| The invoice | `status` |')
    assert.deepEqual(
      rows.map(([name = '']) => name[0]),
      ['A', 'C', 'B'],
    )
    for (const [name = '', ...told] of rows) {
      const id = ids.get(name[0] ?? '') ?? ''
      const { payment } = await shown(id)
      assert.deepEqual(told.slice(0, 4), [payment.status, payment.received, payment.own, payment.overpaid], name)
      const html: string = (await service.get(`/pay/${id}`)).text
      const text = html.replace(/<[^>]*>/g, '')
      const figures: readonly string[] = [a, b].filter((figure) => new RegExp(`\\b${figure} USDT`).test(text))
      assert.deepEqual(figures, told[4] === 'Nothing' ? [] : [payment.own], `the page of ${name}`)
      assert.equal(html.includes('class="receipt"'), told[4] !== 'Nothing', `the receipt of ${name}`)
    }
    assert.deepEqual(await advice(ids.get('A') ?? '', 'shipped', a), [])
    assert.deepEqual(await advice(ids.get('C') ?? '', 'cancelled', c), [])
    assert.deepEqual(await advice(ids.get('B') ?? '', 'open', b), ['Ship. A webhook was lost.'])
  })

  test('holds of what comes when no invoice of the wallet is open', async () => {
    const text = page('wallet-per-order.md')
    const [late] = numbersIn(text, /had C's customer paid after all, before B, A would have `overpaid` (\d+)/)
    assert.ok(late !== undefined)
    const wallet = await newWallet()
    const a = await order(wallet.id, '25')
    await pay(wallet.address, '25')
    await end(await order(wallet.id, late), 'void')
    await pay(wallet.address, late)
    assert.equal((await shown(a)).payment.overpaid, late)
    assert.deepEqual(await advice(a, 'shipped', '25'), ['Refund the difference.'])
  })

  test('has a shop do the right thing with each order', async () => {
    const one = async (amount: string, paid: string | null, type: 'pending' | 'confirmed' = 'confirmed') => {
      const wallet = await newWallet()
      const id = await order(wallet.id, amount)
      if (paid !== null) await pay(wallet.address, paid, type)
      return { id, wallet }
    }
    const waits = await one('25', '25', 'pending')
    assert.deepEqual(await advice(waits.id, 'open', '25'), ['Wait.'])
    const nearly = await one('25', '24')
    assert.match((await advice(nearly.id, 'open', '25')).join(), /^An exchange kept its fee\./)
    await end(nearly.id, 'accept')
    assert.match((await advice(nearly.id, 'open', '25')).join(), /^Ship: what came was taken as enough/)
    const taken = await one('25', null)
    assert.match((await advice(taken.id, 'shipped', '25')).join(), /^A person looks at it:/)
    const late = await one('25', null)
    await end(late.id, 'void')
    assert.deepEqual(await advice(late.id, 'cancelled', '25'), [])
    await pay(late.wallet.address, '25')
    assert.deepEqual(await advice(late.id, 'cancelled', '25'), ['Refund, or ship by hand.'])
  })

  test('holds of two open orders that share a wallet', async () => {
    const [small, great, sent] = numbersIn(
      page('concepts.md'),
      /open invoices of (\d+) and of (\d+) USDT on one wallet\. One of them sends (\d+) USDT: both invoices are now `paid`/,
    )
    assert.ok(small !== undefined && great !== undefined && sent !== undefined)
    const wallet = await newWallet()
    const ids = [await order(wallet.id, small), await order(wallet.id, great)]
    await pay(wallet.address, sent)
    const [one, other] = await Promise.all(ids.map(shown))
    assert.deepEqual([one?.payment.status, other?.payment.status], ['paid', 'paid'])
    // Each deposit is matched to one invoice, which the amount says.
    assert.deepEqual([one?.payment.own, other?.payment.own], ['0', sent])
    const { json } = await service.get(`/api/users/${OWNER}/events`)
    const confirmed = json.findLast(({ type }: { readonly type: string }) => type === 'deposit.confirmed')
    assert.equal(confirmed.invoiceId, ids[1])
  })
})
