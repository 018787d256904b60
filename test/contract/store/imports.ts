import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { ACTIVE_KEYS_MAX, type ApiKey } from '../../../src/domain/api-key.js'
import type { Deposit } from '../../../src/domain/deposit.js'
import type { ImportedInvoice } from '../../../src/domain/imported-record.js'
import type { ImportableRecord, ImportOutcome } from '../../../src/store/imports.js'
import { addressOf, refusalOf, unwrap, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

const CREATED_MS = START_MS - 1_000_000

const hex = (timeMs: number) => timeMs.toString(16).padStart(12, '0')

/** An invoice of 10 USDT on w1, of before multi-wallet support. */
function invoice(
  change: Partial<ImportedInvoice['invoice']> = {},
  ending: Partial<ImportedInvoice> = {},
): ImportedInvoice {
  const created_at = change.created_at ?? CREATED_MS
  return {
    type: 'invoice',
    invoice: {
      id: hex(created_at) + '0'.repeat(20),
      owner: 'alice',
      wallet_id: 'w1',
      wallet_ids: null,
      name: 'Tea set',
      description: null,
      reference: 'order-1',
      amount: '10',
      currency: 'USDT',
      callback_url: 'https://example.com/hook',
      created_at,
      ...change,
    },
    expiresAt: null,
    voidedAt: null,
    acceptedAt: null,
    ...ending,
  }
}

function deposit(change: Partial<Deposit> = {}): ImportableRecord {
  return {
    type: 'deposit',
    deposit: {
      network: 'SEP',
      txHash: '0xabc',
      index: 0,
      toAddress: addressOf('w1'),
      currency: 'Tether',
      amount: '10000000',
      kind: 'confirmed',
      receivedAt: CREATED_MS + 1000,
      confirmedAt: CREATED_MS + 2000,
      ...change,
    },
  }
}

/** Records of another store. */
export function describeImports(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  async function added(t: Scenario, ...records: ImportableRecord[]): Promise<readonly ImportOutcome[]> {
    const fates = await t.store.imports.add(records)
    return fates.map((fate) => {
      assert.equal(fate.status, 'fulfilled')
      return fate.status === 'fulfilled' ? fate.value : assert.fail()
    })
  }

  describe('an import', () => {
    scenario('shows records as they were, paid and without a webhook, also after a restart', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.tell(walletAssigned('w1', 'alice'))
      assert.deepEqual(await added(t, invoice(), deposit()), [{ status: 'added' }, { status: 'added' }])
      await t.harness.reopen()
      const { id } = invoice().invoice
      const found = await t.store.invoices.findWithPayment(id)
      assert.deepEqual(found?.invoice, invoice().invoice)
      assert.equal(found?.payment.status, 'paid')
      assert.deepEqual(await t.store.deposits.find('SEP', '0xabc', 0), (deposit() as { deposit: Deposit }).deposit)
      assert.deepEqual(await t.store.outbox.page('alice', { after: null, limit: 10 }), { items: [], next: null })
      assert.deepEqual((await t.store.invoices.findByReference('order-1'))?.id, id)
      const { items } = await t.store.invoices.page('alice', { after: null, limit: 10 })
      assert.deepEqual(items, [invoice().invoice])
    })

    scenario('can be repeated', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.tell(walletAssigned('w1', 'alice'))
      await added(t, invoice(), deposit())
      assert.deepEqual(await added(t, invoice(), deposit()), [{ status: 'known' }, { status: 'known' }])
    })

    scenario('refuses what contradicts what is there, and leaves it', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.tell(walletAssigned('w1', 'alice'))
      await added(t, invoice(), deposit())
      const refusals = await added(
        t,
        invoice({ amount: '11' }),
        invoice({ created_at: CREATED_MS + 1, amount: '12' }),
        invoice({ created_at: CREATED_MS + 2, reference: null, wallet_id: 'w2' }),
        deposit({ amount: '1' }),
      )
      assert.deepEqual(
        refusals.map((outcome) => (outcome.status === 'refused' ? outcome.error : outcome.status)),
        [
          'another invoice has its id',
          'another invoice has its reference',
          'the wallet w2 is not known, or has no address: import wallets first',
          'it is known otherwise',
        ],
      )
      assert.equal((await t.store.overview.counts()).invoices, 1)
    })

    scenario('refuses invoices on wallets of others, unless former owners may have made them', async (t) => {
      await t.own('bob', 'w1')
      await t.tell(walletCreated('w2'))
      const onFree = invoice({ created_at: CREATED_MS + 1, wallet_id: 'w2', reference: 'order-2' })
      assert.deepEqual(await added(t, invoice(), onFree), [
        { status: 'refused', error: 'the wallet w1 belongs to another identity (--former-owners)' },
        { status: 'refused', error: 'the wallet w2 belongs to nobody: import it with its owner first' },
      ])
      const fates = await t.store.imports.add([invoice(), onFree], { ofFormerOwners: true })
      assert.deepEqual(
        fates.map((fate) => (fate.status === 'fulfilled' ? fate.value.status : assert.fail())),
        ['added', 'refused'],
      )
      // It is kept, and nothing is matched to it.
      const { deliveries } = await t.deposit('confirmed', {
        toAddress: addressOf('w1'),
        currency: 'Tether',
        amount: '10000000',
      })
      assert.deepEqual(deliveries, [])
      assert.equal((await t.paymentOf(invoice().invoice)).status, 'paid')
    })

    scenario('of a wallet takes it from nobody', async (t) => {
      await t.own('alice', 'w1')
      const assigned = { type: 'wallet.assigned', id: 'w1', address: null, network: null } as const
      const outcomeFor = (owner: string) => t.tell({ ...assigned, owner, keepsOwner: true })
      assert.deepEqual(await outcomeFor('bob'), {
        ...{ status: 'rejected', error: 'the wallet belongs to another identity' },
      })
      assert.deepEqual(await outcomeFor('alice'), { status: 'duplicate' })
      assert.equal((await t.store.wallets.find('w1'))?.owner, 'alice')
      assert.deepEqual(await t.tell({ ...assigned, owner: 'bob' }), { status: 'applied' })
    })

    scenario('gives an identity no more active keys than it may have', async (t) => {
      const key = (no: number, change: Partial<ApiKey> = {}): ImportableRecord => {
        const publicKey = Buffer.from(`02${no.toString(16).padStart(64, '0')}`, 'hex')
        const record = {
          ...{ id: no.toString(16).padStart(16, '0'), owner: 'alice', label: 'old', permissions: 'invoices:create' },
          ...{ public_key: publicKey.toString('hex'), expires_at: null, revoked_at: null, created_at: CREATED_MS },
        }
        return { type: 'key', key: { ...record, ...change }, publicKey }
      }
      const most = Array.from({ length: ACTIVE_KEYS_MAX }, (_, i) => key(i + 1))
      const more = [
        key(1001),
        key(1002, { revoked_at: CREATED_MS }),
        key(1003, { expires_at: CREATED_MS }),
        key(1004, { owner: 'bob' }),
      ]
      const outcomes = await added(t, ...most, ...more)
      assert.deepEqual(outcomes.slice(ACTIVE_KEYS_MAX), [
        { status: 'refused', error: 'its owner has 100 active keys already' },
        ...Array.from({ length: 3 }, () => ({ status: 'added' })),
      ])
      assert.deepEqual(
        await added(t, ...most),
        most.map(() => ({ status: 'known' })),
      )
    })

    scenario('leaves no trace of a record that it refuses', async (t) => {
      await t.own('alice', 'w1')
      await added(t, invoice(), deposit())
      const event = { id: `${hex(CREATED_MS)}0001`, type: 'invoice.created', at: CREATED_MS } as const
      const told = { ...event, invoiceId: invoice().invoice.id, deposit: null, delivery: null }
      assert.deepEqual(await added(t, { type: 'event', owner: 'alice', event: told }), [{ status: 'added' }])
      const kept = async () => [
        await t.snapshot(['alice', 'bob', 'carol']),
        await t.store.events.log('alice', { after: null, limit: 100 }),
        await t.store.overview.counts(),
      ]
      const before = await kept()
      const outcomes = await added(
        t,
        invoice({ created_at: CREATED_MS + 1, owner: 'carol', reference: null }),
        invoice({ created_at: CREATED_MS + 2 }),
        deposit({ txHash: '0xdef', amount: '-1', confirmedAt: START_MS * 2 }),
        deposit({ amount: '11', confirmedAt: START_MS * 2 }),
        { type: 'event', owner: 'alice', event: { ...told, type: 'invoice.paid' } },
        { type: 'event', owner: 'carol', event: { ...told, id: `${hex(CREATED_MS)}0002` } },
        { type: 'removal', owner: 'alice', id: `${hex(START_MS * 2)}0000` },
      )
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        outcomes.map(() => 'refused'),
      )
      assert.deepEqual(await kept(), before)
      // What was refused has moved no mark behind which the log need not be whole.
      const next = await t.invoice({ walletIds: ['w1'], amount: '77' })
      const { items } = unwrap(await t.store.events.page('alice', { after: event.id, limit: 10 }))
      assert.deepEqual(
        items.map(({ type, invoiceId }) => [type, invoiceId]),
        [['invoice.created', next.id]],
      )
      assert.ok((items[0]?.at ?? Number.POSITIVE_INFINITY) <= t.clock.now())
    })

    scenario('does not void an invoice that outlived its expiry before its deposits are there', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.tell(walletAssigned('w1', 'alice'))
      await added(t, invoice({}, { expiresAt: CREATED_MS + 5000 }), deposit())
      const found = await t.store.invoices.findWithPayment(invoice().invoice.id)
      assert.deepEqual([found?.payment.status, found?.voidedAt], ['paid', null])
    })

    scenario('keeps an accepted invoice accepted, which never expires', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.tell(walletAssigned('w1', 'alice'))
      const ending = { expiresAt: t.clock.now() + 60_000, acceptedAt: CREATED_MS + 9 }
      const accepted = invoice({}, ending)
      await added(t, accepted)
      t.clock.advance(60_000)
      await t.own('alice', 'wallet-1')
      await t.invoice()
      const { acceptedAt, voidedAt } = await t.told(accepted.invoice)
      assert.deepEqual([acceptedAt, voidedAt], [CREATED_MS + 9, null])
      assert.equal(refusalOf(await t.void(accepted.invoice.id)), 'invoice_paid')
    })

    scenario('keeps a void invoice void, and a dropped deposit dropped', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.tell(walletAssigned('w1', 'alice'))
      await added(t, invoice({}, { voidedAt: CREATED_MS + 9 }), deposit({ kind: 'dropped', confirmedAt: null }))
      const found = await t.store.invoices.findWithPayment(invoice().invoice.id)
      assert.deepEqual([found?.payment.status, found?.voidedAt], ['unpaid', CREATED_MS + 9])
      assert.equal((await t.store.deposits.find('SEP', '0xabc', 0))?.kind, 'dropped')
    })

    scenario('tells of an expiry that it comes to, which is none of what it brings', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.tell(walletCreated('w1'))
      await t.invoice({ expiresInSeconds: 60 })
      t.clock.advance(60_000)
      assert.deepEqual(await added(t, deposit()), [{ status: 'added' }])
      const { items } = unwrap(await t.store.events.page('alice', { after: null, limit: 10 }))
      assert.deepEqual(
        items.map(({ type }) => type),
        ['invoice.created', 'invoice.expired'],
      )
    })

    scenario('makes an unpaid amount of its wallet taken', async (t) => {
      await t.tell(walletCreated('w1'))
      await t.tell(walletAssigned('w1', 'alice'))
      await added(t, invoice())
      const refused = await t.request({ owner: 'alice', walletIds: ['w1'], amount: '10.0', currency: 'USDT' })
      assert.equal(refused.ok ? 'created' : refused.failure.code, 'amount_in_use')
    })

    scenario(
      'takes ids that do not begin with the time, and lists, finds and matches those invoices by their time',
      async (t) => {
        await t.own('alice', 'w1')
        const foreign = (id: string, ms: number, amount: string) =>
          invoice({ id, created_at: CREATED_MS + ms, amount, reference: `order ${amount}` })
        const oldest = foreign('f47ac10b58cc4372a5670e02b2c3d479', 0, '3')
        const middle = foreign('00000000000040008000000000000000', 1000, '2')
        const capitals = foreign('F47AC10B58CC4372A5670E02B2C3D479', 2000, '1')
        const imported = [middle, capitals, oldest]
        const outcomes = imported.map(() => ({ status: 'added' }))
        assert.deepEqual(await added(t, ...imported), outcomes)
        assert.deepEqual(
          await added(t, ...imported),
          outcomes.map(() => ({ status: 'known' })),
        )
        const ours = await t.invoice({ walletIds: ['w1'], amount: '50', currency: 'USDT', reference: 'ours' })
        await t.harness.reopen()

        const expected = [ours.id, capitals.invoice.id, middle.invoice.id, oldest.invoice.id]
        const pages = await t.walk((after) => t.store.invoices.page('alice', { after, limit: 1 }))
        assert.deepEqual(
          pages.flat().map(({ id }) => id),
          expected,
        )
        for (const { invoice } of imported) {
          assert.deepEqual(await t.store.invoices.find(invoice.id), invoice)
          assert.equal((await t.store.invoices.findByReference(invoice.reference ?? ''))?.id, invoice.id)
        }
        // What counts for each is what came behind its time.
        await added(t, deposit({ receivedAt: CREATED_MS + 500, amount: '3000000' }))
        const statuses = await Promise.all(imported.map(async ({ invoice }) => (await t.paymentOf(invoice)).status))
        assert.deepEqual(statuses, ['unpaid', 'unpaid', 'paid'])
        const voided = await t.void(capitals.invoice.id)
        assert.ok(voided.ok && voided.value.voidedAt !== null)
        assert.equal((await t.told(capitals.invoice)).voidedAt, voided.value.voidedAt)
        // No amount of an unpaid one: it is for the oldest of them.
        const { deliveries } = await t.deposit('pending', {
          toAddress: addressOf('w1'),
          currency: 'Tether',
          amount: '7000000',
          receivedAt: START_MS,
        })
        assert.deepEqual(
          deliveries.map(({ invoiceId, body }) => [invoiceId, JSON.parse(body.toString()).invoiceId]),
          [[middle.invoice.id, middle.invoice.id]],
        )
      },
    )

    scenario('gives an invoice no second id', async (t) => {
      await t.own('alice', 'w1')
      const foreign = invoice({ id: 'f47ac10b58cc4372a5670e02b2c3d479' })
      await added(t, foreign)
      const hash = createHash('sha256').update(foreign.invoice.id).digest('hex').slice(0, 20)
      const kept = hex(CREATED_MS) + hash
      assert.equal(await t.store.invoices.find(kept), undefined)
      for (const id of [kept, foreign.invoice.id]) {
        assert.deepEqual(await added(t, invoice({ id, reference: 'another', amount: '4' })), [
          { status: 'refused', error: 'another invoice has its id' },
        ])
      }
      for (const id of ['f47ac10b-58cc-4372-a567-0e02b2c3d479', 'f47ac10b', 'x'.repeat(4000)]) {
        assert.equal(await t.store.invoices.find(id), undefined)
        assert.deepEqual(await added(t, invoice({ id, reference: 'another', amount: '4' })), [
          { status: 'refused', error: 'its id is malformed' },
        ])
      }
    })

    scenario('keeps keys, revoked ones revoked', async (t) => {
      const publicKey = Buffer.from(`02${'ab'.repeat(32)}`, 'hex')
      const key = {
        id: '0123456789abcdef',
        owner: 'alice',
        label: 'old',
        public_key: publicKey.toString('hex'),
        permissions: 'invoices:create',
        expires_at: null,
        revoked_at: CREATED_MS,
        created_at: CREATED_MS,
      }
      assert.deepEqual(await added(t, { type: 'key', key, publicKey }), [{ status: 'added' }])
      assert.deepEqual(await t.store.keys.find(publicKey), key)
      assert.deepEqual((await t.store.keys.page('alice', { after: null, limit: 10 })).items, [key])
      assert.deepEqual(await added(t, { type: 'key', key: { ...key, owner: 'bob' }, publicKey }), [
        { status: 'refused', error: 'another key has its id or its public key' },
      ])
    })
  })
}
