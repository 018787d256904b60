import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as always, type TestContext } from 'node:test'
import { pushEvents } from '../chaos/http-client.js'
import { startChild } from '../cli/child.js'
import { anvilAbsence } from '../support/anvil.js'
import { parseExposition } from '../support/exposition.js'
import { administer } from '../support/postgres-database.js'
import { createDatabase } from '../support/postgres-harness.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { CONFIRMATIONS, OWNER, paymentOf, until, WatchedChain } from './watched-chain.js'

/*
 * Nothing is known that makes the recording of a deposit fail. So a trigger in the database plays the defect.
 */

const MAIN = new URL('../../src/main.js', import.meta.url)
const FAULT = 'a fault that a trigger plays'
const FAULTY = '13'
const TRON_ADDRESS = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'

const server = await postgresForTests({ isDurable: true })

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

/** No deposit of 13 units can be written. */
const REFUSE = [
  `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF NEW.amount IN ('${FAULTY}', '${FAULTY}000000') THEN RAISE EXCEPTION '${FAULT}'; END IF; RETURN NEW;
   END $$`,
  'CREATE TRIGGER refusing BEFORE INSERT OR UPDATE ON deposits FOR EACH ROW EXECUTE FUNCTION refuse()',
]

async function refusingService(t: TestContext) {
  assert.ok(server !== null)
  const world = await WatchedChain.start(t)
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const store = await createDatabase(server)
  const environment = world.environment({ BILLHOOK_STORE: store, BILLHOOK_METRICS_PORT: '0', BILLHOOK_LOG: 'error' })
  const service = await ServiceProcess.start(place.path, environment)
  t.after(() => service.end('SIGKILL'))
  await administer(store, ...REFUSE)
  const command = async (...words: readonly string[]) => {
    const settings = { BILLHOOK_STORE: store }
    return (await startChild(MAIN, [...words, '--data', place.path], settings).ended).stdout
  }
  return { world, store, place, environment, service, command }
}

async function sentences({ url }: ServiceProcess): Promise<readonly string[]> {
  const { degraded = [] } = (await (await fetch(`${url}/readyz`)).json()) as { readonly degraded?: readonly string[] }
  return degraded
}

async function countAside(service: ServiceProcess, network: string): Promise<number | undefined> {
  const text = await (await fetch(service.metricsUrl ?? assert.fail('no metrics'))).text()
  return parseExposition(text).value('billhook_deposits_set_aside', { network })
}

function aside(network: string): string {
  return `Recording 1 deposit of ${network} failed: set aside, and tried again; see the log.`
}

async function consoleOf({ metricsUrl }: ServiceProcess): Promise<string> {
  return (await fetch(`${metricsUrl?.replace('/metrics', '')}/console/networks`)).text()
}

test('a deposit that cannot be recorded is set aside alone, whoever reports it, is told, and counts once when it can', {
  skip: anvilAbsence,
  timeout: 180_000,
}, async (t) => {
  const { world, store, place, environment, service, command } = await refusingService(t)
  const invoiceId = await world.openInvoice(service.url, '20')
  const first = await world.pay(5n)
  const faulty = await world.pay(BigInt(FAULTY))
  const last = await world.pay(2n)
  await world.chain.mine(CONFIRMATIONS + 1)

  const pushed = await pushEvents(service.url, [
    { id: 'c', type: 'wallet.created', wallet: { id: 'wallet-t', address: TRON_ADDRESS, network: 'TRX-NILE' } },
    { id: 'a', type: 'wallet.assigned', wallet: { id: 'wallet-t' }, owner: OWNER },
    pushedDeposit('x', '1'),
    pushedDeposit('y', FAULTY),
    pushedDeposit('z', '2'),
  ])
  const error = 'recording it failed: it is set aside, and is tried again'
  const applied = (id: string) => ({ id, status: 'applied' })
  const results = [...['c', 'a', 'x'].map(applied), { id: 'y', status: 'rejected', error }, applied('z')]
  assert.deepEqual(pushed?.json.results, results)

  await until(async () => (await paymentOf(service.url, invoiceId))['received'] === '7')
  for (const network of ['SEP', 'TRX-NILE']) {
    await until(async () => (await sentences(service)).includes(aside(network)))
    await until(async () => (await countAside(service, network)) === 1)
  }
  const status = await command('status')
  assert.match(status, new RegExp(`SEP: the deposit ${faulty}.* is set aside, since recording it failed.*${FAULT}`))
  assert.match(status, /TRX-NILE: the deposit y.* is set aside/)
  assert.match(await command('export', 'set-aside-deposits'), new RegExp(faulty))
  assert.match(await consoleOf(service), new RegExp(FAULT))

  const [known = ''] = (await command('export', 'deposits')).split('\n').filter((line) => line.includes('"x"'))
  const file = join(place.path, 'deposits')
  const record: Readonly<Record<string, unknown>> = JSON.parse(known)
  const records = [{ txHash: 'i' }, { txHash: 'j', amount: FAULTY }, { txHash: 'k' }]
  writeFileSync(file, records.map((one) => `${JSON.stringify({ ...record, ...one })}\n`).join(''))
  assert.match(await command('import', file), /2 added, 0 known already, 1 refused/)
  await service.end('SIGKILL')

  await administer(store, 'DROP TRIGGER refusing ON deposits')
  const again = await ServiceProcess.start(place.path, environment)
  t.after(() => again.end('SIGKILL'))
  await until(async () => (await paymentOf(again.url, invoiceId))['status'] === 'paid')
  await until(async () => (await command('export', 'set-aside-deposits')) === '')
  await until(async () => (await countAside(again, 'SEP')) === 0)
  assert.ok(!(await sentences(again)).some((sentence) => sentence.includes('set aside')))
  assert.doesNotMatch(await command('status'), /set aside/)
  assert.doesNotMatch(await consoleOf(again), new RegExp(FAULT))
  await until(() => [first, faulty, last].every((txHash) => world.told().includes(`confirmed ${txHash}`)))
  assert.equal((await paymentOf(again.url, invoiceId))['received'], '20')
  assert.equal(new Set(world.told()).size, world.told().length, 'nothing was told twice')
  const exported = (await command('export', 'deposits')).split('\n').filter((line) => line !== '')
  const rows: readonly { readonly txHash: string; readonly kind: string }[] = exported.map((line) => JSON.parse(line))
  const expected = [first, faulty, last, 'x', 'y', 'z', 'i', 'k'].map((txHash) => `${txHash} confirmed`)
  assert.deepEqual(rows.map(({ txHash, kind }) => `${txHash} ${kind}`).sort(), expected.sort())
})

function pushedDeposit(txHash: string, amount: string) {
  const sighting = { network: 'TRX-NILE', txHash, toAddress: TRON_ADDRESS, currency: '#native', amount }
  return { id: txHash, type: 'deposit.confirmed', deposit: { ...sighting, receivedAt: Date.now() } }
}
