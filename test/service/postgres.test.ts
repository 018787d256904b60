import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test as always } from 'node:test'
import { promisify } from 'node:util'
import type { PushedEvent } from '../chaos/acknowledged.js'
import { ask, hashOf, pushEvents } from '../chaos/http-client.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { projectRoot } from '../support/project-root.js'
import { openReceiver } from '../support/receiver.js'
import type { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { changesLive, type Setting, onDatabase as servicesOn, until } from './postgres-services.js'

const run = promisify(execFile)

const server = await postgresForTests({ isDurable: true })

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const onDatabase = (scenario: (setting: Setting) => Promise<void>) => servicesOn(server, scenario)

async function leads({ metricsUrl }: ServiceProcess): Promise<boolean> {
  assert.ok(metricsUrl !== null)
  const text = await (await fetch(metricsUrl)).text()
  return /^billhook_leader 1$/m.test(text)
}

test('several services serve at once: what one of them has stored or handed out the others know', () =>
  onDatabase(async ({ start }) => {
    const [first, second] = await Promise.all([start().ready, start().ready])
    const claim = async ({ url }: ServiceProcess) => {
      const wallet = await (await fetch(`${url}/api/wallets/claim/niles/trx`)).json()
      return (wallet as { id: string }).id
    }
    const claimed = await Promise.all(Array.from({ length: 40 }, (_, i) => claim(i % 2 === 0 ? first : second)))
    assert.equal(new Set(claimed).size, claimed.length)
  }))

test('a payment page is live, and webhooks are sent once, whichever service a payer and the gateway turn to', () =>
  onDatabase(async ({ start }) => {
    const receiver = await openReceiver()
    const [first, second] = await Promise.all([start([]).ready, start([]).ready])
    const wallet = { id: 'wallet-1', address: `0x${'ab'.repeat(20)}`, network: 'SEP' }
    const tell = (service: ServiceProcess, ...events: readonly PushedEvent[]) => pushEvents(service.url, events)
    await tell(
      first,
      { id: 'e1', type: 'wallet.created', wallet },
      { id: 'e2', type: 'wallet.assigned', wallet: { id: 'wallet-1' }, owner: 'alice' },
    )
    const body = JSON.stringify({
      owner: 'alice',
      walletIds: ['wallet-1'],
      name: 'Order',
      amount: '25',
      currency: 'USDT',
      reference: 'order-1',
      callbackUrl: receiver.url,
    })
    const invoice = await ask('POST', `${second.url}/api/invoices`, body)
    assert.equal(invoice?.status, 201)
    let isLive = Promise.resolve()
    await new Promise<void>((resolve) => {
      isLive = changesLive(`${first.url}/pay/${invoice.json.id}/events`, resolve)
    })
    const deposit = {
      network: 'SEP',
      txHash: hashOf('payment'),
      toAddress: wallet.address,
      currency: 'Tether',
      amount: '10000000',
      receivedAt: Date.now() + 1000,
    }
    await tell(second, { id: 'e3', type: 'deposit.pending', deposit })
    await isLive
    await receiver.received(1)
    // Whichever leads: the other one goes on with the webhooks.
    const [dying, left] = (await leads(first)) ? [first, second] : [second, first]
    await dying.end('SIGKILL')
    await tell(left, { id: 'e4', type: 'deposit.confirmed', deposit })
    await receiver.received(2)
    const statuses = receiver.requests.map((request) => JSON.parse(request.body.toString()).status)
    assert.deepEqual(statuses, ['pending', 'confirmed'])
    assert.equal(await leads(left), true)
    const next = await start([]).ready
    assert.equal(await leads(next), false)
    assert.deepEqual(await left.end('SIGTERM'), { code: 0, signal: null })
    await until(() => leads(next), 'the last one leads')
    await receiver.close()
  }))

test('while the database is away requests are refused, and when it is back the same service goes on', () =>
  onDatabase(async ({ server, start }) => {
    const service = await start().ready
    const read = async () => {
      const answer = await fetch(`${service.url}/api/wallets/claim/niles/trx`)
      await answer.text()
      return answer.status
    }
    assert.equal(await read(), 200)
    await server.kill()
    try {
      assert.equal(await read(), 503)
      const page = await fetch(`${service.url}/pay/${'0'.repeat(32)}`)
      await page.text()
      assert.equal(page.status, 503)
    } finally {
      await server.launch()
    }
    await until(async () => (await read()) === 200, 'the service goes on')
  }))

test('commands work on a database beside which no service runs, a sandbox too, and make none of an empty one', () =>
  onDatabase(async ({ store, start }) => {
    const directory = temporaryDirectory()
    const command = (...args: readonly string[]) =>
      run(process.execPath, ['dist/src/main.js', ...args, '--data', directory.path], {
        cwd: projectRoot,
        env: { PATH: process.env['PATH'], BILLHOOK_STORE: store },
      })
    try {
      await assert.rejects(command('status'), /billhook: the database \S+ holds no data\n/)
      await (await start().ready).stop()
      const { stdout } = await command('export', 'wallets')
      assert.equal(stdout.trim().split('\n').length, 200)
    } finally {
      directory.remove()
    }
  }))

test('a sandbox and a real service do not share a database, and nobody serves without one', () =>
  onDatabase(async ({ store, start }) => {
    await (await start().ready).stop()
    const refusal = async (address: string, ...flags: string[]) => {
      const directory = temporaryDirectory()
      try {
        const args = ['dist/src/main.js', 'serve', '--port', '0', '--data', directory.path, ...flags]
        await run(process.execPath, args, {
          cwd: projectRoot,
          env: { PATH: process.env['PATH'], BILLHOOK_STORE: address },
        })
        return assert.fail('it started')
      } catch (error) {
        return (error as { stderr: string }).stderr.split('\n').find((line) => line.startsWith('billhook: ')) ?? ''
      } finally {
        directory.remove()
      }
    }
    assert.match(await refusal(store), /^billhook: the database belongs to a sandbox/)
    const nobody = 'postgres://user:secret-word@127.0.0.1:1/none'
    const told = await refusal(nobody, '--sandbox')
    assert.match(told, /^billhook: the database postgres:\/\/127\.0\.0\.1:1\/none cannot be used: .*ECONNREFUSED/)
    assert.ok(!told.includes('secret-word'))
  }))
