import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type KnownNetwork, Networks } from '../../../src/domain/network.js'
import { millisecond } from '../../../src/domain/received-at.js'
import { OperatorError } from '../../../src/operator-error.js'
import { addressOf, refusalOf, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { BNB, TEST_NETWORKS, tokenOf } from '../../support/networks.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

const WITHOUT_BNB = new Networks(TEST_NETWORKS.all.filter(({ id }) => id !== 'BNB'))

/** The test networks, of which BNB has changed. */
function withBnb(change: Partial<KnownNetwork>): Networks {
  return new Networks([...WITHOUT_BNB.all, { ...BNB, ...change }])
}

/** Networks beyond the two that are built in (decisions 11). */
export function describeNetworks(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  /** A wallet of alice on BNB. */
  async function ownOnBnb(t: Scenario, id = 'b1'): Promise<void> {
    await t.tell(walletCreated(id, 'BNB'))
    await t.tell(walletAssigned(id, 'alice'))
  }

  const paid = (amount: string, txHash = '0xb') =>
    ({
      network: 'BNB',
      txHash,
      toAddress: addressOf('b1'),
      currency: 'Tether',
      amount,
      receivedAt: START_MS + 5,
    }) as const

  describe('a network of the catalogue', () => {
    scenario('has its own pool of wallets, beside the others', async (t) => {
      await t.tell(walletCreated('s1'))
      await t.tell(walletCreated('b1', 'BNB'))
      await t.tell(walletCreated('b2', 'BNB'))
      const { wallets } = t.store
      assert.deepEqual([await wallets.countUnassigned('SEP'), await wallets.countUnassigned('BNB')], [1, 2])
      assert.equal((await wallets.claim('BNB', 1000))?.id, 'b1')
      assert.equal(await wallets.countClaimable('BNB', 10), 1)
      assert.equal((await wallets.claim('BNB', 1000))?.id, 'b2')
      assert.equal(await wallets.claim('BNB', 1000), null)
      assert.equal((await wallets.at('BNB', addressOf('b1').toUpperCase()))?.id, 'b1')
      assert.equal(await wallets.at('SEP', addressOf('b1')), undefined)
    })

    scenario('counts the units of a token of 18 decimals exactly, across restarts', async (t) => {
      await ownOnBnb(t)
      const invoice = await t.invoice({ walletIds: ['b1'], currency: 'USDT', amount: '1.5' })
      await t.deposit('confirmed', paid('1499999999999999999'))
      assert.equal((await t.paymentOf(invoice)).remaining, '0.000000000000000001')
      await t.harness.reopen()
      await t.deposit('confirmed', paid('1', '0xc'))
      const { status, received } = await t.paymentOf(invoice)
      assert.deepEqual([status, received], ['paid', '1.5'])
    })

    scenario('lists and finds its deposits apart from those of others', async (t) => {
      await ownOnBnb(t)
      await t.own('alice', 'wallet-1')
      await t.deposit('pending', { txHash: '0xb' })
      for (const txHash of ['0xb', '0xc', '0xd']) await t.deposit('pending', paid('7', txHash))
      const { deposits } = t.store
      const pages = await t.walk((after) => deposits.page('BNB', { after, limit: 2 }))
      assert.deepEqual(
        pages.flat().map(({ txHash }) => txHash),
        ['0xb', '0xc', '0xd'],
      )
      assert.equal((await deposits.page('SEP', { after: null, limit: 10 })).items.length, 1)
      assert.equal((await deposits.find('BNB', '0xb', 0))?.amount, '7')
      assert.equal((await deposits.find('SEP', '0xb', 0))?.amount, '100')
      assert.equal(await deposits.find('TRX-NILE', '0xb', 0), undefined)
    })

    scenario('is watched block by block, apart from others', async (t) => {
      await ownOnBnb(t)
      const head = { hash: 'a7', parentHash: 'a6', ...millisecond(START_MS + 5) }
      const transfers = [
        { txHash: '0xb', index: 0, toAddress: addressOf('b1'), currency: 'Tether', amount: '7' },
      ] as const
      const step = {
        type: 'append',
        network: 'BNB',
        isConfirmed: false,
        seenAtMs: START_MS,
        blocks: [
          { height: 6, hash: 'a6', parentHash: 'a5', ...millisecond(START_MS), transfers: [] },
          { height: 7, ...head, transfers },
        ],
      } as const
      await t.perform({ type: 'chain', step })
      assert.equal((await t.store.chain.position('BNB'))?.tip.height, 7)
      assert.equal(await t.store.chain.position('SEP'), undefined)
      assert.equal((await t.store.chain.blockAt('BNB', 7))?.hash, 'a7')
      const watched = await t.store.chain.watched('BNB')
      assert.equal(watched.has(addressOf('b1')), true)
      assert.equal((await t.store.deposits.find('BNB', '0xb', 0))?.kind, 'pending')
      await t.perform({ type: 'chain', step: { type: 'undo', network: 'BNB', above: 6 } })
      assert.equal((await t.store.deposits.find('BNB', '0xb', 0))?.kind, 'dropped')
    })
  })

  describe('a network that has left the catalogue', () => {
    scenario('is retired: its records are read with the decimals that it had', async (t) => {
      await ownOnBnb(t)
      const invoice = await t.invoice({ walletIds: ['b1'], currency: 'USDT', amount: '2' })
      await t.deposit('confirmed', paid('1500000000000000000'))
      await t.harness.reopen({ networks: WITHOUT_BNB })
      const { networks, wallets, deposits } = t.store
      assert.deepEqual(networks.find('BNB'), { ...BNB, isRetired: true })
      assert.deepEqual(
        [networks.present, networks.ids],
        [
          ['SEP', 'TRX-NILE'],
          ['SEP', 'TRX-NILE', 'BNB'],
        ],
      )
      assert.equal(networks.decimals['BNB']?.['USDT'], 18)
      assert.equal((await wallets.find('b1'))?.network, 'BNB')
      assert.equal((await deposits.page('BNB', { after: null, limit: 5 })).items.length, 1)
      assert.equal((await t.paymentOf(invoice)).remaining, '0.5')
      // And is as it was once it is back.
      await t.harness.reopen()
      assert.equal(t.store.networks.find('BNB')?.isRetired, false)
    })

    scenario('is forgotten when it was never used', async (t) => {
      await t.harness.reopen({ networks: WITHOUT_BNB })
      assert.equal(t.store.networks.find('BNB'), undefined)
    })
  })

  describe('an entry of the catalogue that has changed', () => {
    const changes: readonly (readonly [Partial<KnownNetwork>, string])[] = [
      [
        { tokens: [tokenOf('USDT', 6), tokenOf('USDC', 18)] },
        'BNB has the token USDT with 6 decimals, and the data has deposits of it with 18',
      ],
      [{ kind: 'tron' }, 'BNB has the kind tron, and the data has deposits or wallets on it with evm'],
    ]
    for (const [change, message] of changes) {
      scenario(`is refused where sums depend on it: ${JSON.stringify(change)}`, async (t) => {
        await ownOnBnb(t)
        await t.deposit('pending', paid('7'))
        const refused = (error: unknown) => error instanceof OperatorError && error.message === message
        await assert.rejects(t.harness.reopen({ networks: withBnb(change) }), refused)
        // Also when it was away meanwhile.
        await t.harness.reopen({ networks: WITHOUT_BNB })
        await assert.rejects(t.harness.reopen({ networks: withBnb(change) }), refused)
        await t.harness.reopen()
      })

      scenario(`is taken before there is anything on it: ${JSON.stringify(change)}`, async (t) => {
        await t.harness.reopen({ networks: withBnb(change) })
        assert.deepEqual(t.store.networks.find('BNB'), { ...BNB, ...change })
      })
    }

    scenario('is taken where only words change', async (t) => {
      await ownOnBnb(t)
      await t.harness.reopen({ networks: withBnb({ name: 'BNB Chain' }) })
      await t.harness.reopen({ networks: WITHOUT_BNB })
      assert.equal(t.store.networks.find('BNB')?.name, 'BNB Chain')
    })
  })

  describe('a native amount on wallets of different coins', () => {
    const wallets = async (t: Scenario) => {
      await ownOnBnb(t)
      await t.own('alice', 'wallet-1', 'wallet-2')
    }

    scenario('is an invoice, as specified', async (t) => {
      await wallets(t)
      await t.invoice({ walletIds: ['b1', 'wallet-1'] })
    })

    scenario('is refused where coins are not mixed; one coin, and a token, are not', async (t) => {
      await wallets(t)
      await t.harness.reopen({ areCoinsMixed: false })
      assert.equal(refusalOf(await t.request({ walletIds: ['b1', 'wallet-1'] })), 'mixed_native_coins')
      assert.equal(refusalOf(await t.request({ walletIds: ['b1', 'unknown'] })), 'wallet_not_owned')
      await t.invoice({ walletIds: ['wallet-1', 'wallet-2'] })
      await t.invoice({ walletIds: ['b1', 'wallet-1'], currency: 'USDT' })
    })
  })
}
