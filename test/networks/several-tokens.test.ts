import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { Intake } from '../../src/actors/intake.js'
import { WalletDirectory } from '../../src/actors/wallet-directory.js'
import type { ObservedBlock } from '../../src/domain/block.js'
import type { Network } from '../../src/domain/network.js'
import type { Difference } from '../../src/networks/difference.js'
import type { NetworkReader } from '../../src/networks/network-reader.js'
import { WrongNode } from '../../src/networks/network-reader.js'
import { reconcile } from '../../src/networks/reconcile.js'
import { accountOfAddress, addressOfAccount } from '../../src/networks/tron/address.js'
import { withStore } from '../contract/store/harness.js'
import { walletAssigned } from '../support/fixtures.js'
import { openLmdbHarness } from '../support/lmdb-harness.js'
import { ManualClock } from '../support/manual-clock.js'
import { contractCall, emulatedAccount, transferLog } from '../support/tron-transactions.js'
import { ethereumReader, evmToken, type ReaderVariant, watching } from './ethereum/fixture.js'
import { ScriptedNode, TOKEN, tokenTo, word } from './ethereum/scripted-node.js'
import * as tron from './tron/fixture.js'

/** A network on which both tokens, and one of a stranger, are sent in one block. */
interface Played {
  readonly network: Network
  /** Who gets all of them. */
  readonly address: string
  readonly reader: NetworkReader
  readonly warnings: readonly string[]
  /** Questions that the nodes were asked so far. */
  questions(): number
  /** The newest block. */
  block(): Promise<ObservedBlock | null>
  close(): Promise<void>
}

/** What differs: whether the second token is read, and whether what is configured of each is right. */
interface Variant {
  readonly isOneOnly?: boolean
  readonly areWrong?: readonly ('USDT' | 'USDC')[]
}

const [ours] = ['0x00000000000000000000000000000000000000a1']
const USDC = `0x${'71'.repeat(20)}`
const FAKE = `0x${'72'.repeat(20)}`

async function playEvm({ isOneOnly = false, areWrong = [] }: Variant): Promise<Played> {
  const node = await ScriptedNode.start()
  // Each says what it is: the stranger's token calls itself USDC, and has the decimals of USDC.
  node.quirk = ({ method, params }, own) => {
    const { to, data } = (params[0] ?? {}) as { readonly to?: string; readonly data?: string }
    return method === 'eth_call' && to !== TOKEN && data === '0x313ce567' ? { result: word(18n) } : own
  }
  node.add([tokenTo(ours, 5n), tokenTo(ours, 7n, USDC), tokenTo(ours, 9n, FAKE)])
  const clock = new ManualClock(1_700_000_012_000)
  const warnings: string[] = []
  const variant: ReaderVariant = {
    ...{ token: TOKEN, decimals: areWrong.includes('USDT') ? 8 : 6 },
    others: isOneOnly ? [] : [evmToken('USDC', USDC, areWrong.includes('USDC') ? 6 : 18)],
    ...{ clock, confirmation: 1, warn: (_endpoint, text) => warnings.push(text) },
  }
  const reader = ethereumReader([node.url], variant)
  const [named] = watching([ours])
  return {
    network: 'SEP',
    address: ours,
    reader,
    warnings,
    questions: () => node.requests,
    block: () => reader.block(1, named),
    close: async () => {
      await reader.close()
      await node.close()
    },
  }
}

const TRON_USDC = accountOfAddress('TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8') ?? ''
const TRON_FAKE = emulatedAccount(7)

async function playTron({ isOneOnly = false, areWrong = [] }: Variant): Promise<Played> {
  const eighteen = { 'decimals()': (18).toString(16).padStart(64, '0') }
  const others = [TRON_USDC, TRON_FAKE].map((account) => ({ account, returns: eighteen }))
  const tokens = [
    tron.tronToken('USDT', tron.TOKEN, areWrong.includes('USDT') ? 8 : 6),
    ...(isOneOnly ? [] : [tron.tronToken('USDC', TRON_USDC, areWrong.includes('USDC') ? 6 : 18)]),
  ]
  const fixture = await tron.TronFixture.open(1, { tokens }, { ...tron.token, others })
  const { chain, reader, warnings } = fixture
  const logs = [
    transferLog(tron.TOKEN, tron.ALICE, 5n),
    transferLog(TRON_USDC, tron.ALICE, 7n),
    transferLog(TRON_FAKE, tron.ALICE, 9n),
  ]
  chain.produce(contractCall(emulatedAccount(8), logs, []))
  chain.produceEmpty(18)
  fixture.now()
  return {
    network: 'TRX-NILE',
    address: addressOfAccount(tron.ALICE),
    reader,
    warnings,
    questions: () => fixture.node.requests.length,
    block: async () => {
      // The block is solidified for a reader that has seen the head.
      await reader.head()
      return await reader.block(1, tron.watched)
    },
    close: () => fixture.close(),
  }
}

for (const [kind, play] of [
  ['evm', playEvm],
  ['tron', playTron],
] as const) {
  describe(`several tokens on a network of kind ${kind}`, () => {
    let played: Played[]

    beforeEach(() => {
      played = []
    })
    afterEach(async () => {
      for (const one of played) await one.close()
    })

    async function open(variant: Variant = {}): Promise<Played> {
      const one = await play(variant)
      played.push(one)
      return one
    }

    async function paid({ block }: Played): Promise<readonly string[]> {
      const { transfers } = (await block()) ?? assert.fail('no block')
      return transfers.map(({ currency, amount }) => `${amount} ${currency}`)
    }

    test('are read of one block, each by its contract: what a stranger calls by the same name is nothing', async () => {
      const one = await open()
      await one.reader.verify()
      assert.deepEqual(await paid(one), ['5 Tether', '7 USDC'])
      assert.equal(one.reader.problem(), null)
    })

    test('are asked for with as many questions as one', async () => {
      const counts: number[] = []
      for (const isOneOnly of [true, false]) {
        const one = await open({ isOneOnly })
        await one.reader.verify()
        const before = one.questions()
        assert.equal((await paid(one)).length, isOneOnly ? 1 : 2)
        counts.push(one.questions() - before)
      }
      assert.equal(counts[0], counts[1])
    })

    test(
      'were paid in before one of them was added: a reconciliation finds that, and only that',
      withStore(openLmdbHarness, async (t) => {
        const { network, address, reader, block } = await open()
        await t.tell({ type: 'wallet.created', id: 'w', address, network })
        await t.tell(walletAssigned('w', 'alice'))
        await reader.verify()
        const read = (await block()) ?? assert.fail('no block')
        const intake = new Intake(t.store.ledger, new WalletDirectory(t.store), () => {})
        const before = { ...read, transfers: read.transfers.filter(({ currency }) => currency === 'Tether') }
        const step = { type: 'append', network, blocks: [before], isConfirmed: true, seenAtMs: read.timeMs } as const
        assert.equal((await intake.observe(step)).status, 'applied')
        const told: Difference[] = []
        const options = {
          ...{ reader, store: t.store, from: read.height, to: read.height },
          decimals: { [network]: { native: 18, USDT: 6, USDC: 18 } },
          onDifference: (difference: Difference) => told.push(difference),
          ...{ onProgress: () => {}, isStopping: () => false, isRead: () => true },
        }
        const found = async (isRepaired: boolean) => {
          told.length = 0
          const { repaired } = await reconcile({ ...options, intake: isRepaired ? intake : null })
          const names = told.map((one) => [one.type, 'transfer' in one ? one.transfer.currency : null])
          return [...names, repaired]
        }
        const kinds = async () => {
          const { items } = await t.store.deposits.page(network, { after: null, limit: 10 })
          return items.map(({ amount, currency, kind }) => `${amount} ${currency} ${kind}`).sort()
        }
        assert.deepEqual(await kinds(), ['5 Tether confirmed'])
        assert.deepEqual(await found(false), [['missing', 'USDC'], 0])
        assert.deepEqual(await kinds(), ['5 Tether confirmed'])
        assert.deepEqual(await found(true), [['missing', 'USDC'], 1])
        assert.deepEqual(await kinds(), ['5 Tether confirmed', '7 USDC confirmed'])
        assert.deepEqual(await found(true), [0])
      }),
    )

    test('are examined each by itself', async () => {
      const one = await open()
      const [report] = await one.reader.examine()
      const facts = (report?.facts ?? []).filter(({ text }) => text.includes('its token'))
      assert.equal(facts.length, 2)
      assert.match(facts[0]?.text ?? '', /^(is of|has the first).*, and its token USDT .* with 6 decimals$/)
      assert.match(facts[1]?.text ?? '', /^its token USDC .* with 18 decimals$/)
    })

    for (const [wrong, right] of [
      ['USDC', '5 Tether'],
      ['USDT', '7 USDC'],
    ] as const) {
      test(`go on without ${wrong} when that is not what is configured, aloud`, async () => {
        const one = await open({ areWrong: [wrong] })
        await one.reader.verify()
        assert.deepEqual(await paid(one), [right])
        const { reason, message } = one.reader.problem() ?? assert.fail('no problem')
        assert.equal(reason, 'wrong_token')
        const told = new RegExp(`the token ${wrong} is not read: .*decimals, configured are (6|8)$`)
        assert.match(message, told)
        assert.equal(one.warnings.length, 1)
        assert.match(one.warnings[0] ?? '', told)
        await one.reader.verify()
        assert.equal(one.warnings.length, 1, 'said once')
        const [report] = await one.reader.examine()
        assert.equal(
          report?.facts.find(({ text }) => text.includes(`its token ${wrong} is not read`))?.verdict,
          'failed',
        )
      })
    }

    test('stop the network when none is what is configured, as one alone does', async () => {
      const one = await open({ areWrong: ['USDT', 'USDC'] })
      await assert.rejects(one.reader.verify(), WrongNode)
      const alone = await open({ isOneOnly: true, areWrong: ['USDT'] })
      await assert.rejects(alone.reader.verify(), /WrongNode: .*decimals, configured are 8$/)
    })
  })
}
