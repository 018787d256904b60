import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { detailedFailure } from '../../../src/domain/failure.js'
import type { CreationTerms, InvoiceCommand, WalletCommand } from '../../../src/store/commands.js'
import { StorageUnavailable } from '../../../src/store/refusals.js'
import {
  addressOf,
  depositFact,
  invoiceRequest,
  registration,
  walletAssigned,
  walletCreated,
} from '../../support/fixtures.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

/** What holds for every write: alone or in a batch, durable or not at all. */
export function describeCommands(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))
  const create = (amount: string, reference = amount): WalletCommand => ({
    type: 'invoice',
    request: invoiceRequest({ amount, reference, callbackUrl: 'https://example.com/' }),
  })

  describe('a look at a creation', () => {
    const bodyHash = Buffer.alloc(32, 1)
    const idempotency = { scope: Buffer.alloc(32, 2), bodyHash }
    const command = (terms: CreationTerms = {}): InvoiceCommand => {
      const request = invoiceRequest({ walletIds: ['wallet-1', 'wallet-2'], expiresInSeconds: 60 })
      return { type: 'invoice', request, terms }
    }

    scenario('answers without a turn unless every wallet is the owner’s', async (t) => {
      const refusedFor = async (wallet: string) => {
        const failure = detailedFailure('wallet_not_owned', { wallet, reason: 'not_assigned' })
        const refusal = { type: 'invoice', outcome: { ok: false, failure }, expiresAt: null, isReplay: false }
        assert.deepEqual(await t.store.commands.answerWithoutTurn(command()), refusal)
        assert.deepEqual(await t.store.commands.perform([command()]), [{ status: 'fulfilled', value: refusal }])
      }
      await refusedFor('wallet-1')
      await t.own('alice', 'wallet-1')
      await refusedFor('wallet-2')
      await t.own('bob', 'wallet-2')
      await refusedFor('wallet-2')
      await t.store.ledger.applyFacts([{ eventId: null, fact: walletAssigned('wallet-2', 'alice') }])
      assert.equal(await t.store.commands.answerWithoutTurn(command()), null)
    })

    scenario(
      'answers under an idempotency key what the turn would, also when a wallet has gone to somebody else',
      async (t) => {
        await t.own('alice', 'wallet-1', 'wallet-2')
        const [created] = await t.store.commands.perform([command({ idempotency })])
        assert.ok(created?.status === 'fulfilled' && created.value.type === 'invoice' && created.value.outcome.ok)
        assert.equal(created.value.expiresAt, created.value.outcome.value.created_at + 60_000)
        await t.store.ledger.applyFacts([{ eventId: null, fact: walletAssigned('wallet-2', 'bob') }])
        const otherBody = { ...idempotency, bodyHash: Buffer.alloc(32, 3) }
        const otherKey = { ...idempotency, scope: Buffer.alloc(32, 4) }
        for (const terms of [{ idempotency }, { idempotency: otherBody }, { idempotency: otherKey }, {}]) {
          const [inTurn] = await t.store.commands.perform([command(terms)])
          const value = await t.store.commands.answerWithoutTurn(command(terms))
          assert.deepEqual(inTurn, { status: 'fulfilled', value })
        }
        assert.deepEqual(await t.store.commands.answerWithoutTurn(command({ idempotency })), {
          ...created.value,
          isReplay: true,
        })
      },
    )
  })

  scenario('a signed request creates once, also where a batch repeats it', async (t) => {
    await t.own('alice', 'wallet-1')
    const signed = (byte: number) => ({ timestampMs: t.clock.now(), digest: Buffer.alloc(32, byte) })
    const creation = (amount: string, byte: number): InvoiceCommand => {
      return { type: 'invoice', request: invoiceRequest({ amount }), terms: { signed: signed(byte) } }
    }
    const codes = async (batch: readonly InvoiceCommand[]) =>
      (await t.store.commands.perform(batch)).map((fate) => {
        if (fate.status === 'rejected' || fate.value.type !== 'invoice') return 'failed'
        return fate.value.outcome.ok ? 'created' : fate.value.outcome.failure.code
      })
    assert.deepEqual(await codes([creation('1', 1), creation('2', 1), creation('2', 2)]), [
      'created',
      'request_repeated',
      'created',
    ])
    // A repetition learns of the invoice that it created, and what is refused is not remembered.
    assert.deepEqual(await codes([creation('1', 1), creation('3', 1), creation('2', 3), creation('3', 3)]), [
      'amount_in_use',
      'request_repeated',
      'amount_in_use',
      'created',
    ])
  })

  describe('a batch', () => {
    scenario('answers as many results as it has commands, in order', async (t) => {
      await t.own('alice', 'wallet-1')
      assert.deepEqual(await t.store.commands.perform([]), [])
      assert.deepEqual(await t.store.ledger.applyFacts([]), [])
      const batch = [create('1'), create('1.0', 'again'), ...Array.from({ length: 600 }, (_, i) => create(`${i + 2}`))]
      const fates = await t.store.commands.perform(batch)
      assert.equal(fates.length, batch.length)
      const outcomes = fates.map((fate) =>
        fate.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok
          ? fate.value.outcome.value.amount
          : 'refused',
      )
      assert.deepEqual(outcomes, ['1', 'refused', ...Array.from({ length: 600 }, (_, i) => `${i + 2}`)])
    })

    scenario('rejects a command that throws alone: its neighbours succeed and nothing of it remains', async (t) => {
      await t.own('alice', 'wallet-1')
      const paid = await t.invoice({ amount: '50', reference: 'paid', callbackUrl: 'https://example.com/' })
      const unmatched = (txHash: string): WalletCommand => ({
        type: 'deposit',
        eventId: `event ${txHash}`,
        fact: depositFact('confirmed', { txHash, amount: '1', currency: 'DAI' }),
      })
      const owing: WalletCommand = { type: 'deposit', eventId: 'event owing', fact: depositFact('confirmed') }
      const before = await t.snapshot()
      const error = new Error('no more ids')
      t.harness.failIds(error)
      const fates = await t.store.commands.perform([
        unmatched('a'),
        create('7'),
        unmatched('b'),
        owing,
        unmatched('c'),
        create('50', 'x'),
      ])
      assert.deepEqual(
        fates.map((fate) => (fate.status === 'rejected' ? fate.reason : fate.value.outcome)),
        [
          { status: 'applied', deposit: await t.store.deposits.find('SEP', 'a', 0) },
          error,
          { status: 'applied', deposit: await t.store.deposits.find('SEP', 'b', 0) },
          error,
          { status: 'applied', deposit: await t.store.deposits.find('SEP', 'c', 0) },
          {
            ok: false,
            failure: detailedFailure('amount_in_use', { wallet: 'wallet-1' }, { amount: '50', currency: 'native' }),
          },
        ],
      )
      assert.deepEqual(await t.snapshot(), before)
      assert.equal(await t.store.deposits.find('SEP', '0xfeed', 0), undefined)
      assert.equal(await t.store.invoices.findByReference('7'), undefined)

      t.harness.failIds(null)
      const [created, deposited] = await t.store.commands.perform([create('7'), owing])
      assert.ok(created?.status === 'fulfilled' && created.value.type === 'invoice' && created.value.outcome.ok)
      assert.ok(deposited?.status === 'fulfilled' && deposited.value.type === 'deposit')
      assert.equal(deposited.value.outcome.status, 'applied')
      assert.equal(deposited.value.owed.length, 2)
      assert.equal((await t.paymentOf(paid)).received, '100')
      await t.harness.reopen()
      assert.equal((await t.paymentOf(paid)).received, '100')
      assert.equal((await t.store.deposits.find('SEP', 'b', 0))?.kind, 'confirmed')
    })

    scenario('that throws leaves no number that two would share', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const both = { walletIds: ['wallet-1', 'wallet-2'], reference: 'both', callbackUrl: 'https://example.com/' }
      t.harness.failIds(new Error('no more ids'))
      const [fate] = await t.store.commands.perform([{ type: 'invoice', request: invoiceRequest(both) }])
      assert.equal(fate?.status, 'rejected')
      t.harness.failIds(null)
      await t.invoice({ amount: '1', reference: 'one', callbackUrl: 'https://example.com/' })
      await t.invoice({ ...both, amount: '2' })
      const notified = async (txHash: string, walletId: string) =>
        (await t.deposit('pending', { txHash, amount: '9', toAddress: addressOf(walletId) })).deliveries.map(
          ({ body }) => JSON.parse(body).reference,
        )
      assert.deepEqual(await notified('1', 'wallet-1'), ['one'])
      assert.deepEqual(await notified('2', 'wallet-2'), ['both'])
    })
  })

  describe('a store that is closed', () => {
    scenario('refuses writes as unavailable, keeps what it had, and may be closed again', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice()
      assert.equal(t.store.isOpen(), true)
      const { store } = t
      const underWay = store.commands.perform([create('5')])
      const closing = [store.close(), store.close()]
      assert.equal(store.isOpen(), false)
      await Promise.all(closing)
      assert.deepEqual(
        (await underWay).map(({ status }) => status),
        ['fulfilled'],
      )
      const [fate] = await store.commands.perform([create('6')])
      assert.ok(fate?.status === 'rejected' && fate.reason instanceof StorageUnavailable)
      await assert.rejects(store.keys.register(registration(1)), StorageUnavailable)
      await assert.rejects(Promise.resolve(store.wallets.claim('SEP', 1)), StorageUnavailable)
      const [told] = await store.ledger.applyFacts([{ eventId: null, fact: walletCreated('w9') }])
      assert.equal(told?.status, 'rejected')
      await t.harness.reopen()
      const items = (await t.store.invoices.page('alice', { after: null, limit: 9 })).items
      assert.deepEqual(
        items.map(({ amount }) => amount),
        ['5', '100'],
      )
      assert.deepEqual(await t.store.invoices.find(invoice.id), invoice)
    })
  })
}
