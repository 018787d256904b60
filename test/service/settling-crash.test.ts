import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ask, pushEvents } from '../chaos/http-client.js'
import { anvilAbsence } from '../support/anvil.js'
import { createDatabase } from '../support/postgres-harness.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { CONFIRMATIONS, OWNER, paymentOf, until, WALLET, WatchedChain } from './watched-chain.js'

/** As many as take a second or two to settle. */
const CROWD = 1500
const CREATIONS_AT_ONCE = 32
const EVENTS_PAGE = 1000
/** More than the crowd asks for, less than its last invoice does, and what no invoice asks. */
const EVERYTHING = 100n
const DUST = 5n
const OTHER = { id: 'wallet-2', address: '0xabcd000000000000000000000000000000000002', network: 'SEP' }

const server = await postgresForTests({ isDurable: true })

for (const engine of ['LMDB', 'PostgreSQL'] as const) {
  const absence = anvilAbsence || (engine === 'PostgreSQL' && server === null && 'there is no PostgreSQL')
  test(
    `kill -9 while a deposit waits for thousands of invoices to be settled loses nothing, on ${engine}`,
    {
      skip: absence,
      timeout: 240_000,
    },
    (t) => settlesBehindKills(t, engine === 'LMDB' ? {} : { BILLHOOK_STORE: server }),
  )
}

async function settlesBehindKills(
  t: TestContext,
  { BILLHOOK_STORE: on = null }: { readonly BILLHOOK_STORE?: typeof server },
): Promise<void> {
  const world = await WatchedChain.start(t)
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const store = on === null ? {} : { BILLHOOK_STORE: await createDatabase(on) }
  const environment = world.environment({ BILLHOOK_RATE_LIMIT: '0', ...store })
  let service = await ServiceProcess.start(place.path, environment)
  t.after(() => service.end('SIGKILL'))
  const first = await world.openInvoice(service.url, '1.5')
  const create = async (owner: string, walletId: string, amount: string): Promise<string> => {
    // Only those that can be notified come into question, as long as there is one.
    const terms = { reference: `${walletId} ${amount}`, callbackUrl: `${world.receiver.url}/` }
    const body = JSON.stringify({ owner, walletIds: [walletId], name: 'Order', amount, currency: 'USDT', ...terms })
    const created = await ask('POST', `${service.url}/api/invoices`, body)
    assert.equal(created?.status, 201, JSON.stringify(created?.json))
    return created.json.id
  }
  let made = 0
  await Promise.all(
    Array.from({ length: CREATIONS_AT_ONCE }, async () => {
      while (made < CROWD) {
        made += 1
        await create(OWNER, WALLET.id, `1.${made + 1_000}`)
      }
    }),
  )
  const last = await create(OWNER, WALLET.id, '1000000')
  const pushed = await pushEvents(service.url, [
    { id: 'other', type: 'wallet.created', wallet: OTHER },
    { id: 'others', type: 'wallet.assigned', wallet: { id: OTHER.id }, owner: 'bob' },
  ])
  assert.equal(pushed?.status, 200)
  const others = await create('bob', OTHER.id, '7')
  // The blocks of a node are of whole seconds, and only what comes behind an invoice pays it.
  await new Promise((resolve) => setTimeout(resolve, 1100))

  await world.pay(EVERYTHING)
  await world.chain.mine(CONFIRMATIONS)
  await until(async () => (await paymentOf(service.url, first))['status'] === 'paid')
  const dust = await world.pay(DUST)
  await world.chain.sendCall(world.token, 'transfer(address,uint256)', [OTHER.address, 7n * 10n ** 6n])
  await world.chain.mine(CONFIRMATIONS)
  await until(async () => (await paymentOf(service.url, others))['status'] === 'paid')
  for (let kills = 0; kills < 2; kills += 1) {
    assert.equal((await service.end('SIGKILL')).signal, 'SIGKILL')
    service = await ServiceProcess.start(place.path, environment)
  }
  const received = String(EVERYTHING + DUST)
  await until(async () => (await paymentOf(service.url, last))['received'] === received)
  await until(async () => (await events('invoice.paid')).length >= CROWD + 1)
  const paid = await events('invoice.paid')
  assert.equal(new Set(paid.map(({ invoiceId }) => invoiceId)).size, paid.length, 'each is told once')
  const confirmed = (await events('deposit.confirmed')).filter(({ txHash }) => txHash === dust)
  assert.deepEqual(
    confirmed.map(({ invoiceId }) => invoiceId),
    [last],
    'it is matched once, to the oldest unpaid one',
  )

  async function events(type: string) {
    const found: { readonly invoiceId: string | null; readonly txHash: string | null }[] = []
    for (let after = ''; ; ) {
      const answer = await ask('GET', `${service.url}/api/users/${OWNER}/events?limit=${EVENTS_PAGE}${after}`)
      assert.equal(answer?.status, 200)
      const page: readonly Told[] = answer.json
      for (const one of page) {
        if (one.type === type) found.push({ invoiceId: one.invoiceId, txHash: one.deposit?.txHash ?? null })
      }
      const end = page.at(-1)
      if (end === undefined || page.length < EVENTS_PAGE) return found
      after = `&after=${end.id}`
    }
  }
}

/** An event, as far as it is looked at. */
interface Told {
  readonly id: string
  readonly type: string
  readonly invoiceId: string | null
  readonly deposit: { readonly txHash: string } | null
}
