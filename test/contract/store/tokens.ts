import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type KnownToken, Networks } from '../../../src/domain/network.js'
import { millisecond } from '../../../src/domain/received-at.js'
import { OperatorError } from '../../../src/operator-error.js'
import { addressOf, refusalOf, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { TEST_NETWORKS, tokenOf } from '../../support/networks.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

const HOOK = 'https://shop.example/hook'

/** The test networks with other tokens on SEP. */
function withTokens(...tokens: readonly KnownToken[]): Networks {
  return new Networks(TEST_NETWORKS.all.map((one) => (one.id === 'SEP' ? { ...one, tokens } : one)))
}

/** Several tokens on a network (decisions 15). */
export function describeTokens(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) =>
    test(
      name,
      withStore(open, async (t) => {
        await t.own('alice', 'wallet-1')
        await run(t)
      }),
    )

  const usdc = (amount: string, txHash: string, at = 5) =>
    ({ txHash, currency: 'USDC', amount, receivedAt: START_MS + at }) as const

  async function ownOnBnb(t: Scenario): Promise<void> {
    await t.tell(walletCreated('b1', 'BNB'))
    await t.tell(walletAssigned('b1', 'alice'))
  }

  describe('three currencies on one wallet', () => {
    scenario('collide each with itself only', async (t) => {
      for (const currency of ['native', 'USDT', 'USDC']) {
        await t.invoice({ currency, amount: '10' })
        assert.equal(refusalOf(await t.request({ currency, amount: '10.0' })), 'amount_in_use')
      }
      const refused = await t.request({ currency: 'USDC', amount: '10' })
      assert.match(refused.ok ? '' : refused.failure.message, /\(10 USDC\)/)
    })

    scenario('are each paid by their own deposits, and each deposit notifies an invoice of its currency', async (t) => {
      const invoices = new Map<string, { readonly id: string }>()
      for (const currency of ['native', 'USDT', 'USDC']) {
        invoices.set(currency, await t.invoice({ currency, amount: '10', reference: currency, callbackUrl: HOOK }))
      }
      const paid = [
        { currency: 'USDC', amount: '10000000', of: 'USDC' },
        { currency: 'Tether', amount: '10000000', of: 'USDT' },
        { currency: null, amount: '10', of: 'native' },
      ]
      for (const [n, { of, ...sent }] of paid.entries()) {
        const { deliveries } = await t.deposit('confirmed', { txHash: `0x${n}`, receivedAt: START_MS + 5, ...sent })
        assert.deepEqual(
          deliveries.map(({ body }) => [JSON.parse(body).reference, JSON.parse(body).currency]),
          [
            [of, sent.currency],
            [of, sent.currency],
          ],
        )
        await t.harness.reopen()
        for (const [currency, invoice] of invoices) {
          const isPaid = paid.slice(0, n + 1).some((one) => one.of === currency)
          assert.equal((await t.paymentOf(invoice)).status, isPaid ? 'paid' : 'unpaid', `${currency} after ${of}`)
        }
      }
      for (const invoice of invoices.values()) await t.assertDepositsSum(invoice)
    })

    scenario('a deposit that a reorganisation takes away opens the invoice of its currency again', async (t) => {
      const [one, other] = [
        await t.invoice({ currency: 'USDC', amount: '10' }),
        await t.invoice({ currency: 'USDT', amount: '10' }),
      ]
      await t.deposit('confirmed', usdc('10000000', '0xa'))
      await t.deposit('confirmed', { ...usdc('10000000', '0xb'), currency: 'Tether' })
      await t.invoice({ currency: 'USDC', amount: '10' })
      await t.deposit('dropped', usdc('10000000', '0xa'))
      assert.deepEqual([(await t.paymentOf(one)).status, (await t.paymentOf(other)).status], ['unpaid', 'paid'])
      assert.equal(refusalOf(await t.request({ currency: 'USDC', amount: '10' })), 'amount_in_use')
      await t.invoice({ currency: 'USDT', amount: '10' })
    })

    scenario('what came in the two that an invoice does not ask for is shown beside it', async (t) => {
      await t.deposit('pending', usdc('2500000', '0xa'))
      await t.deposit('pending', { ...usdc('1', '0xb', 6), currency: '#native' })
      await t.deposit('confirmed', { ...usdc('1000000', '0xc', 7), currency: 'Tether' })
      const strays = async (currency: string) => {
        const found = await t.store.deposits.strays({ walletIds: ['wallet-1'], currency, since: START_MS }, 9)
        return found.map((one) => `${one.amount} ${one.currency}`)
      }
      assert.deepEqual(await strays('USDT'), ['1 native', '2.5 USDC'])
      assert.deepEqual(await strays('USDC'), ['1 USDT', '1 native'])
      assert.deepEqual(await strays('EURC'), ['1 USDT', '1 native', '2.5 USDC'])
      assert.deepEqual(
        (await t.store.search.unmatchedTo('SEP', addressOf('wallet-1'), 9)).map(({ txHash }) => txHash),
        ['0xc', '0xb', '0xa'],
      )
    })

    scenario('are found by a search, open, paid and void', async (t) => {
      const [open, paid, ended] = [
        await t.invoice({ currency: 'USDC', amount: '1' }),
        await t.invoice({ currency: 'USDC', amount: '2' }),
        await t.invoice({ currency: 'USDC', amount: '3' }),
      ]
      await t.deposit('confirmed', usdc('2000000', '0xa'))
      await t.void(ended.id)
      // The first is covered by the sum, and the search settles nothing.
      const found = await t.store.search.invoicesOn('wallet-1', 'alice', 9)
      assert.deepEqual(found.map(({ invoice }) => invoice.id).sort(), [open, paid, ended].map(({ id }) => id).sort())
    })

    scenario('a late payment in a token goes to the invoice of that token that became void last', async (t) => {
      const [meant, other] = [
        await t.invoice({ currency: 'USDC', amount: '1', reference: 'meant', callbackUrl: HOOK }),
        await t.invoice({ currency: 'USDT', amount: '1', reference: 'other', callbackUrl: HOOK }),
      ]
      t.clock.set(START_MS + 10)
      for (const { id } of [meant, other]) await t.void(id)
      const { deliveries } = await t.deposit('pending', usdc('1000000', '0xa', 20))
      assert.deepEqual(
        deliveries.map(({ body }) => [JSON.parse(body).reference, JSON.parse(body).late]),
        [['meant', true]],
      )
    })
  })

  describe('one token of several decimals', () => {
    scenario('is counted exactly in one invoice, by what it has on each network', async (t) => {
      await ownOnBnb(t)
      const invoice = await t.invoice({ walletIds: ['wallet-1', 'b1'], currency: 'USDC', amount: '25.000001' })
      await t.deposit('confirmed', usdc('12500000', '0xa'))
      const onBnb = { network: 'BNB', toAddress: addressOf('b1') }
      await t.deposit('confirmed', { ...usdc('12500000999999999999', '0xb'), ...onBnb })
      const { status, remaining } = await t.paymentOf(invoice)
      assert.deepEqual([status, remaining], ['unpaid', '0.000000000000000001'])
      await t.deposit('confirmed', { ...usdc('1', '0xc'), ...onBnb })
      assert.equal((await t.paymentOf(invoice)).status, 'paid')
      assert.equal((await t.paymentOf(invoice)).received, '25.000001')
      await t.assertDepositsSum(invoice)
    })

    scenario('is matched by the amount that the coarser one can carry', async (t) => {
      await ownOnBnb(t)
      const fields = { walletIds: ['wallet-1', 'b1'], currency: 'USDC', callbackUrl: HOOK }
      for (const amount of ['5', '7.0000000000004']) await t.invoice({ ...fields, amount, reference: amount })
      // On SEP nobody can send what the second one asks: rounded up to six places it is meant.
      const { deliveries } = await t.deposit('pending', usdc('7000001', '0xa'))
      assert.equal(JSON.parse(deliveries[0]?.body ?? '{}').reference, '7.0000000000004')
    })
  })

  describe('a token that a network lacks', () => {
    const refused = async (t: Scenario, fields: object) => {
      const outcome = await t.request(fields)
      return outcome.ok ? null : [outcome.failure.code, outcome.failure.details]
    }

    scenario('is no currency of an invoice with a wallet there, and the answer says what is', async (t) => {
      await ownOnBnb(t)
      await t.invoice({ currency: 'EURC' })
      const both = ['unsupported_currency', { supported: ['native', 'USDT', 'USDC'] }]
      assert.deepEqual(await refused(t, { walletIds: ['wallet-1', 'b1'], currency: 'EURC' }), both)
      assert.deepEqual(await refused(t, { walletIds: ['b1'], currency: 'EURC' }), both)
    })

    scenario('is judged once the wallets are the owner’s, and before everything else', async (t) => {
      await ownOnBnb(t)
      await t.invoice({ reference: 'taken' })
      const wrong = { currency: 'EURC', reference: 'taken', callbackUrl: 'x:' }
      assert.equal(refusalOf(await t.request({ ...wrong, walletIds: ['b1', 'nobody'] })), 'wallet_not_owned')
      assert.equal(refusalOf(await t.request({ ...wrong, walletIds: ['b1'] })), 'unsupported_currency')
      assert.equal(refusalOf(await t.request({ ...wrong, walletIds: ['wallet-1'] })), 'invalid_callback_url')
    })

    scenario('is an unknown label of a deposit there: it is recorded, and pays nothing', async (t) => {
      await ownOnBnb(t)
      const invoice = await t.invoice({ walletIds: ['b1'], amount: '1' })
      const sent = {
        network: 'BNB',
        toAddress: addressOf('b1'),
        currency: 'EURC',
        amount: '1',
        receivedAt: START_MS + 5,
      }
      assert.equal((await t.deposit('confirmed', sent)).outcome.status, 'applied')
      assert.equal((await t.store.deposits.find('BNB', '0xfeed', 0))?.currency, 'EURC')
      assert.equal((await t.paymentOf(invoice)).received, '0')
      for (const label of ['USDT', 'usdc', 'native', 'NATIVE']) {
        await t.deposit('confirmed', { ...sent, txHash: label, currency: label })
      }
      assert.equal((await t.paymentOf(invoice)).received, '0')
    })

    scenario('may be USDT, where the entry of the network lists others', async (t) => {
      await t.harness.reopen({ networks: withTokens(tokenOf('USDC', 6)) })
      assert.deepEqual(await refused(t, { currency: 'USDT' }), [
        'unsupported_currency',
        { supported: ['native', 'USDC'] },
      ])
      const { outcome } = await t.deposit('confirmed', { ...usdc('1', '0xa'), currency: 'Tether' })
      assert.equal(outcome.status, 'applied')
    })
  })

  describe('a token that the catalogue has lost', () => {
    scenario('keeps its records, and is no currency of new invoices', async (t) => {
      const invoice = await t.invoice({ currency: 'USDC', amount: '2' })
      await t.deposit('confirmed', usdc('1500000', '0xa'))
      await t.harness.reopen({ networks: withTokens(tokenOf('USDT', 6)) })
      assert.equal((await t.paymentOf(invoice)).remaining, '0.5')
      assert.equal(t.store.networks.has('SEP', 'USDC'), false)
      assert.equal(t.store.networks.decimals['SEP']?.['USDC'], 6)
      assert.equal(refusalOf(await t.request({ currency: 'USDC' })), 'unsupported_currency')
      // What is told of it is still counted: an invoice waits for it.
      await t.deposit('confirmed', usdc('500000', '0xb'))
      assert.equal((await t.paymentOf(invoice)).status, 'paid')
      // And it is as it was once it is back, also after another start without it.
      await t.harness.reopen({ networks: withTokens(tokenOf('USDT', 6)) })
      await t.harness.reopen()
      await t.invoice({ currency: 'USDC' })
    })

    scenario('cannot come back with other decimals, once it has deposits', async (t) => {
      await t.deposit('pending', usdc('1', '0xa'))
      const changed = withTokens(tokenOf('USDT', 6), tokenOf('USDC', 18))
      const refused = (error: unknown) =>
        error instanceof OperatorError &&
        error.message === 'SEP has the token USDC with 18 decimals, and the data has deposits of it with 6'
      await assert.rejects(t.harness.reopen({ networks: changed }), refused)
      await t.harness.reopen({ networks: withTokens(tokenOf('USDT', 6)) })
      await assert.rejects(t.harness.reopen({ networks: changed }), refused)
      await t.harness.reopen()
    })

    scenario('is not taken from a block that is read without it: what was seen of it stays as it was', async (t) => {
      const blocks = [6, 7].map((height) => ({
        height,
        hash: `a${height}`,
        parentHash: `a${height - 1}`,
        ...millisecond(START_MS + height),
      }))
      const [older = assert.fail(), newer = assert.fail()] = blocks
      const sent = { txHash: '0xa', index: 0, toAddress: addressOf('wallet-1'), currency: 'USDC', amount: '5' }
      const other = { ...sent, txHash: '0xb', currency: 'Tether' }
      const append = { type: 'append', network: 'SEP', isConfirmed: false, seenAtMs: START_MS } as const
      await t.perform({
        type: 'chain',
        step: {
          ...append,
          blocks: [
            { ...older, transfers: [] },
            { ...newer, transfers: [sent, other] },
          ],
        },
      })
      await t.harness.reopen({ networks: withTokens(tokenOf('USDT', 6)) })
      const confirmed = blocks.map((block) => ({ ...block, transfers: [] }))
      await t.perform({ type: 'chain', step: { type: 'confirm', network: 'SEP', blocks: confirmed } })
      const kinds = ['0xa', '0xb'].map(async (txHash) => (await t.store.deposits.find('SEP', txHash, 0))?.kind)
      assert.deepEqual(await Promise.all(kinds), ['pending', 'dropped'])
    })

    scenario('may be corrected as long as nothing has come in it, whatever else has', async (t) => {
      await t.invoice({ currency: 'USDC', amount: '2' })
      await t.deposit('pending', { ...usdc('1', '0xa'), currency: 'Tether' })
      await t.harness.reopen({ networks: withTokens(tokenOf('USDT', 6), tokenOf('USDC', 18)) })
      assert.equal(t.store.networks.decimals['SEP']?.['USDC'], 18)
    })
  })

  describe('a token that is added to a running installation', () => {
    scenario('is counted from then on, and an invoice in it is made out', async (t) => {
      await t.harness.reopen({ networks: withTokens(tokenOf('USDT', 6)) })
      await t.invoice({ currency: 'USDT', amount: '10' })
      await t.harness.reopen({ networks: withTokens(tokenOf('USDT', 6), tokenOf('PYUSD', 6), tokenOf('USDC', 6)) })
      const invoice = await t.invoice({ currency: 'USDC', amount: '10' })
      await t.deposit('confirmed', usdc('10000000', '0xa'))
      assert.equal((await t.paymentOf(invoice)).status, 'paid')
    })

    scenario('keeps its place among others, whatever their order in the catalogue becomes', async (t) => {
      const invoice = await t.invoice({ currency: 'USDC', amount: '10' })
      await t.deposit('confirmed', usdc('4000000', '0xa'))
      const others = ['DAI', 'PYUSD', 'FDUSD', 'USDC', 'USDT'].map((symbol) => tokenOf(symbol, 6))
      await t.harness.reopen({ networks: withTokens(...others) })
      await t.deposit('confirmed', usdc('6000000', '0xb'))
      assert.equal((await t.paymentOf(invoice)).status, 'paid')
      assert.equal((await t.told(invoice)).invoice.currency, 'USDC')
    })
  })
}
