import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DepositObservation, Intake } from '../../src/actors/intake.js'
import { MailboxFull, WalletDirectory } from '../../src/actors/wallet-directory.js'
import type { ChainStep, ObservedBlock } from '../../src/domain/block.js'
import { millisecond } from '../../src/domain/received-at.js'
import type { CommandPort, WalletCommand } from '../../src/store/commands.js'
import type { OwedDelivery } from '../../src/store/outbox.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import type { Store } from '../../src/store/store.js'
import { deferred } from '../support/deferred.js'
import { addressOf, invoiceRequest, type LmdbFixture, openFixture } from '../support/lmdb-fixture.js'

function block(height: number, ...walletIds: readonly string[]): ObservedBlock {
  const transfers = walletIds.map((id, i) => ({
    txHash: `tx-${height}-${i}`,
    index: 0,
    toAddress: addressOf(id),
    currency: 'Tether',
    amount: '1000000',
  }))
  return { height, hash: `h${height}`, parentHash: `h${height - 1}`, ...millisecond(Date.now() + 1000), transfers }
}

const append = (...blocks: readonly ObservedBlock[]): ChainStep => ({
  type: 'append',
  network: 'SEP',
  blocks,
  isConfirmed: false,
  seenAtMs: 0,
})

/** A store whose batches wait until the test lets them through, or fail. */
function gated(store: Store) {
  const batches: { readonly commands: readonly WalletCommand[]; pass(): void; fail(error: Error): void }[] = []
  const perform: CommandPort['perform'] = async (commands) => {
    const gate = deferred<void>()
    batches.push({ commands, pass: () => gate.resolve(), fail: (error) => gate.reject(error) })
    await gate.promise
    return store.commands.perform(commands)
  }
  const { invoices, orders, wallets, chain, ledger } = store
  const answerWithoutTurn: CommandPort['answerWithoutTurn'] = (command) => store.commands.answerWithoutTurn(command)
  const answerOrderWithoutTurn: CommandPort['answerOrderWithoutTurn'] = (command) =>
    store.commands.answerOrderWithoutTurn(command)
  return {
    port: {
      commands: { perform, answerWithoutTurn, answerOrderWithoutTurn },
      invoices,
      orders,
      wallets,
      chain,
      ledger,
    },
    batches,
  }
}

function withFixture(run: (fixture: LmdbFixture) => Promise<void>): () => Promise<void> {
  return async () => {
    const fixture = await openFixture()
    try {
      await fixture.assign('owner', 'wallet-1', 'wallet-2')
      await run(fixture)
    } finally {
      await fixture.close()
    }
  }
}

/** Lets what is under way in memory come to rest. */
const rest = () => new Promise((resolve) => setImmediate(resolve))

describe('a step of a chain', () => {
  test(
    'runs in the turn of all wallets that it pays, and others go on meanwhile',
    withFixture(async ({ store }) => {
      const { port, batches } = gated(store)
      const directory = new WalletDirectory(port)
      const step = directory.takeChainStep(append(block(5, 'wallet-1', 'wallet-1', 'wallet-2')))
      await rest()
      assert.deepEqual(
        batches.map(({ commands }) => commands.map(({ type }) => type)),
        [['chain']],
      )
      const behind = directory.createInvoice(invoiceRequest('owner', ['wallet-2'], '5'))
      const next = directory.takeChainStep(append(block(6)))
      await rest()
      assert.equal(batches.length, 1, 'neither the wallet nor the chain takes two turns at once')
      batches[0]?.pass()
      await step
      await rest()
      assert.equal(batches.length, 3)
      for (const batch of batches) batch.pass()
      assert.equal((await behind).outcome.ok, true)
      assert.equal((await next).outcome.status, 'applied')
      await directory.idle()
      assert.equal(directory.size, 0)
    }),
  )

  test(
    'takes one place in the mailbox of a wallet, however its address is written',
    withFixture(async ({ store }) => {
      const { transfers, ...head } = block(5, 'wallet-1', 'wallet-1')
      const [first, second] = transfers
      assert.ok(first !== undefined && second !== undefined)
      const spelled = { ...second, toAddress: second.toAddress.toUpperCase() }
      const directory = new WalletDirectory(store, { mailboxCapacity: 1, totalCapacity: 9, turnLimit: 1 })
      const { outcome } = await directory.takeChainStep(append({ ...head, transfers: [first, spelled] }))
      assert.equal(outcome.status, 'applied')
    }),
  )

  test(
    'waits for the wallets whose deposits it takes away',
    withFixture(async ({ store }) => {
      const { port, batches } = gated(store)
      const open = new WalletDirectory(store)
      await open.takeChainStep(append(block(5), block(6, 'wallet-1')))
      const directory = new WalletDirectory(port)
      const first = directory.createInvoice(invoiceRequest('owner', ['wallet-1'], '5'))
      const undo = directory.takeChainStep({ type: 'undo', network: 'SEP', above: 5 })
      await rest()
      assert.equal(batches.length, 1)
      batches[0]?.pass()
      await first
      await rest()
      batches[1]?.pass()
      assert.equal((await undo).outcome.status, 'applied')
    }),
  )

  test(
    'is refused as a whole where one wallet has no room',
    withFixture(async ({ store }) => {
      const { port, batches } = gated(store)
      const directory = new WalletDirectory(port, { mailboxCapacity: 1, totalCapacity: 9, turnLimit: 1 })
      const waiting = [1, 2].map((n) => directory.createInvoice(invoiceRequest('owner', ['wallet-2'], `${n}`)))
      const observed: DepositObservation[] = []
      const intake = new Intake(port.ledger, directory, () => assert.fail('nothing is owed'), {
        deposit: (one) => observed.push(one),
      })
      await assert.rejects(intake.observe(append(block(5, 'wallet-1', 'wallet-2'))), MailboxFull)
      assert.deepEqual(
        observed.map(({ report, outcome }) => [report, outcome]),
        [
          ['pending', 'failed'],
          ['pending', 'failed'],
        ],
      )
      assert.equal(store.chain.position('SEP'), undefined)
      batches[0]?.pass()
      await waiting[0]
      await rest()
      batches[1]?.pass()
      await Promise.all(waiting)
    }),
  )
})

describe('the intake', () => {
  test(
    'tells what a step did to each deposit, and what became due',
    withFixture(async ({ store, directory }) => {
      const request = invoiceRequest('owner', ['wallet-1'], '1', {
        reference: 'r',
        callbackUrl: 'https://example.com/',
      })
      assert.ok((await directory.createInvoice(request)).outcome.ok)
      const owed: OwedDelivery[] = []
      const observed: DepositObservation[] = []
      const intake = new Intake(store.ledger, directory, (more) => owed.push(...more), {
        deposit: (one) => observed.push(one),
      })
      await intake.observe(append(block(5), block(6, 'wallet-1')))
      const confirm: ChainStep = { type: 'confirm', network: 'SEP', blocks: [block(5), block(6, 'wallet-1')] }
      await intake.observe(confirm)
      assert.deepEqual(await intake.observe(confirm), { status: 'refused', reason: 'not_next' })
      await intake.observe({ type: 'undo', network: 'SEP', above: 5 })
      assert.deepEqual(
        observed.map(({ network, report, outcome }) => [network, report, outcome]),
        [
          ['SEP', 'pending', 'applied'],
          ['SEP', 'confirmed', 'applied'],
          ['SEP', 'dropped', 'applied'],
        ],
      )
      assert.deepEqual(
        owed.map(({ id }) => store.outbox.find(id)?.status),
        ['pending', 'confirmed'],
      )
    }),
  )

  test(
    'rejects a step that the store could not write, and tells nothing as recorded',
    withFixture(async ({ store }) => {
      const { port, batches } = gated(store)
      const observed: DepositObservation[] = []
      const intake = new Intake(port.ledger, new WalletDirectory(port), () => assert.fail('nothing is owed'), {
        deposit: (one) => observed.push(one),
      })
      const step = intake.observe(append(block(5, 'wallet-1')))
      await rest()
      batches[0]?.fail(new StorageUnavailable(new Error('the disk is full')))
      await assert.rejects(step, StorageUnavailable)
      assert.deepEqual(
        observed.map(({ outcome }) => outcome),
        ['failed'],
      )
    }),
  )
})
