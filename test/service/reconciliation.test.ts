import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '../../src/domain/audit.js'
import { type Ended, startChild } from '../cli/child.js'
import { anvilAbsence } from '../support/anvil.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { CONFIRMATIONS, paymentOf, WALLET, WatchedChain } from './watched-chain.js'

const MAIN = new URL('../../src/main.js', import.meta.url)

test('billhook reconcile finds on a real node what the service missed, repairs it, and the webhooks follow', {
  skip: anvilAbsence,
  timeout: 120_000,
}, async (t) => {
  const world = await WatchedChain.start(t)
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const environment = world.environment({ BILLHOOK_LOG: 'silent' })
  const reconcile = (...flags: readonly string[]): Promise<Ended> =>
    startChild(MAIN, ['reconcile', '--network', 'SEP', '--data', place.path, ...flags], environment).ended

  const nothing = await reconcile('--from', '0', '--to', '1')
  assert.deepEqual([nothing.code, nothing.stdout], [3, ''])
  assert.equal(nothing.stderr, `billhook: the data directory ${place.path} holds no data\n`)

  // The service does not watch while the payment is made.
  const service = await ServiceProcess.start(place.path)
  const invoiceId = await world.openInvoice(service.url, '25')
  const busy = await reconcile('--from', '0', '--to', '1')
  assert.equal(busy.code, 3)
  assert.match(busy.stderr, /^billhook: the data directory .* is in use by another process \(pid \d+\)\n$/)
  await service.end('SIGTERM')
  const txHash = await world.pay(25n)
  await world.chain.mine(CONFIRMATIONS)
  const height = await world.chain.height()
  const paidIn = height - CONFIRMATIONS + 1
  const range = ['--from', '0', '--to', String(paidIn)]

  const early = await reconcile('--from', '0', '--to', String(height))
  assert.deepEqual([early.code, early.stdout], [2, ''])
  assert.match(
    early.stderr,
    new RegExp(`block ${height} is not confirmed yet; the last confirmed one is ${paidIn}\\.\n$`),
  )

  const lines = (...last: readonly string[]) =>
    [
      `SEP block ${paidIn} transaction ${txHash} index 1: not recorded: 25000000 Tether to ${WALLET.address.toLowerCase()}`,
      ...last,
      '',
    ].join('\n')
  const told = await reconcile(...range)
  assert.equal(told.stdout, lines(`SEP blocks 0 to ${paidIn} are compared: 1 difference.`))
  assert.equal(told.code, 1)
  const repaired = await reconcile(...range, '--apply', '--forget')
  assert.equal(
    repaired.stdout,
    lines(
      `SEP blocks 0 to ${paidIn} are compared: 1 difference, 1 repaired.`,
      'Webhooks that are owed by the repairs are sent when the service runs.',
      `Which blocks of SEP were read is forgotten. Start the service with BILLHOOK_SEP_START=${paidIn + 1}.`,
    ),
  )
  assert.equal(repaired.code, 0)
  assert.equal((await reconcile(...range)).code, 0)
  assert.deepEqual(world.told(), [])
  // What was only compared leaves no trace.
  const audit = await startChild(MAIN, ['audit', 'list', '--json', '--data', place.path]).ended
  const traces = audit.stdout
    .trimEnd()
    .split('\n')
    .map((line): AuditRecord => JSON.parse(line))
  assert.deepEqual(
    traces.map(({ action, subject, outcome, detail }) => [action, subject, outcome, detail]),
    [
      ['reconcile.forget', 'SEP', 'done', null],
      [
        'reconcile.apply',
        `SEP blocks 0 to ${paidIn}`,
        'done',
        `differences: 1, repaired: 1, blocks settled: 0; compared up to block ${paidIn}`,
      ],
    ],
  )
  assert.match(traces[0]?.who ?? '', /\(uid /)

  const watching = await ServiceProcess.start(place.path, { ...environment, BILLHOOK_SEP_START: String(paidIn + 1) })
  t.after(() => watching.end('SIGKILL'))
  await world.receiver.received(2)
  assert.deepEqual(world.told(), [`pending ${txHash}`, `confirmed ${txHash}`])
  assert.equal((await paymentOf(watching.url, invoiceId))['status'], 'paid')
})
