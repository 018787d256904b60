import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DepositObservation, Intake } from '../../src/actors/intake.js'
import { MailboxFull } from '../../src/actors/wallet-directory.js'
import { depositFact, walletCreated } from '../support/fixtures.js'
import { type LmdbFixture, openFixture } from '../support/lmdb-fixture.js'

let fixture: LmdbFixture
before(async () => {
  fixture = await openFixture()
})
after(() => fixture.close())

function event(fact: ReturnType<typeof depositFact> | ReturnType<typeof walletCreated>) {
  return { eventId: null, fact }
}

test('an observer hears of every report of a deposit and what became of it, and of no other fact', async () => {
  const heard: DepositObservation[] = []
  const observer = { deposit: (observation: DepositObservation) => heard.push(observation) }
  const intake = new Intake(fixture.store.ledger, fixture.directory, () => {}, observer)
  await intake.apply([
    event(walletCreated('w')),
    event(depositFact('pending', { txHash: '0x1' })),
    event(depositFact('pending', { txHash: '0x1' })),
    event(depositFact('confirmed', { txHash: '0x1' })),
    event(depositFact('dropped', { txHash: '0x1' })),
    event(depositFact('confirmed', { txHash: '0x2', network: 'TRX-NILE' })),
    event(depositFact('pending', { txHash: '' })),
  ])
  assert.deepEqual(
    heard.map(({ network, report, outcome }) => [network, report, outcome]),
    [
      ['SEP', 'pending', 'applied'],
      ['SEP', 'pending', 'duplicate'],
      ['SEP', 'confirmed', 'applied'],
      ['SEP', 'dropped', 'applied'],
      ['TRX-NILE', 'confirmed', 'applied'],
      ['SEP', 'pending', 'rejected'],
    ],
  )
})

test('a report that could not be recorded is heard of as failed, and its sender is told', async () => {
  const heard: DepositObservation[] = []
  const full = { recordDeposits: async () => [{ status: 'rejected' as const, reason: new MailboxFull() }] }
  // The intake asks the directory for nothing else.
  const directory = full as unknown as LmdbFixture['directory']
  const observer = { deposit: (observation: DepositObservation) => heard.push(observation) }
  const intake = new Intake(fixture.store.ledger, directory, () => {}, observer)
  await assert.rejects(intake.apply([event(depositFact('confirmed'))]), MailboxFull)
  assert.deepEqual(heard, [{ network: 'SEP', report: 'confirmed', outcome: 'failed' }])
})
