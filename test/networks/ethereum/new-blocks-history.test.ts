import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ObservedBlock, ObservedTransfer } from '../../../src/domain/block.js'
import type { Confirmation } from '../../../src/networks/ethereum/head-reader.js'
import { Random } from '../../simulation/random.js'
import { addressNumber } from '../../support/ethereum-chain.js'
import { ManualClock } from '../../support/manual-clock.js'
import { certain, ether, ethereumReader, tether, watching } from './fixture.js'
import { hashNumber, ScriptedNode, type ScriptedTransaction, STRANGER, TOKEN, tokenTo } from './scripted-node.js'

const ETHER = 10n ** 18n
const WALLETS = 6
const POLLS = 150
const DEPTH = 5
const BLOCKS_MAX = 4
/** One in so many. */
const REORGANISATION_ODDS = 5
const FAULT_ODDS = 40
const CHECK_ODDS = 40
const WALLET_ODDS = 30

const wallets = Array.from({ length: WALLETS }, (_, i) => addressNumber(i + 1))
const foreign: ScriptedTransaction = { logs: [{ address: STRANGER, topics: [hashNumber(1)] }] }

type Blocks = readonly ObservedBlock[] | undefined

/** A chain that goes on and is replaced at random, and what a watcher of it knows. */
class History {
  readonly random: Random
  readonly clock = new ManualClock(1_700_000_000_000)
  readonly contents: (readonly ScriptedTransaction[])[] = [[]]
  branch = 1
  /** Wallets that are known. */
  known = 1
  recorded: Pick<ObservedBlock, 'height' | 'hash'>[] = []
  confirmed = -1

  constructor(
    readonly node: ScriptedNode,
    seed: number,
  ) {
    this.random = new Random(seed)
  }

  /** Adds blocks; before that replaces some, but none that is confirmed. */
  grow(): void {
    const { node, random } = this
    if (random.below(REORGANISATION_ODDS) === 0) {
      this.branch += 1
      const depth = Math.min(random.below(DEPTH - 1) + 1, node.height)
      node.blocks.splice(node.blocks.length - depth)
      this.contents.splice(node.blocks.length)
      for (let n = 0; n < depth; n += 1) this.add()
    }
    for (let n = random.below(BLOCKS_MAX); n >= 0; n -= 1) this.add()
  }

  private add(): void {
    const { node, random } = this
    const transactions = Array.from({ length: random.below(4) }, () => {
      const to = random.pick([STRANGER, STRANGER, ...wallets] as const)
      return random.pick([foreign, { to, value: ETHER }, { ...tokenTo(to, 5n) }] as const)
    })
    const parentHash = node.blocks.at(-1)?.block.hash ?? hashNumber(0)
    this.contents.push(transactions)
    node.add(transactions, { hash: hashNumber(this.branch, node.height + 1), parentHash })
  }

  get watched() {
    return watching(wallets.slice(0, this.known))[0]
  }

  /** What a block holds for the wallets that are known. */
  transfersAt(height: number): readonly ObservedTransfer[] {
    const { has } = this.watched
    return (this.contents[height] ?? []).flatMap(({ to, value = 0n, logs = [] }, i) => {
      const hash = hashNumber(2, height, i)
      const receiver = String(logs[0]?.topics[2] ?? '').replace(`0x${'0'.repeat(24)}`, '0x')
      return [
        ...(value > 0n && has(String(to)) ? [ether(hash, String(to), '1')] : []),
        ...(has(receiver) ? [tether(hash, 1, receiver, 5n)] : []),
      ]
    })
  }

  hashAt(height: number): string {
    return this.node.blocks[height]?.block.hash ?? ''
  }

  /** Forgets recorded blocks that the chain does not have. */
  goBack(): void {
    const first = this.recorded.findIndex(({ height, hash }) => this.hashAt(height) !== hash)
    if (first !== -1) this.recorded.splice(first)
  }
}

/** Returns how many blocks were confirmed, and how many were asked for. */
async function play(confirmation: Confirmation, seed: number) {
  const node = await ScriptedNode.start()
  node.unfinalized = DEPTH - 1
  const history = new History(node, seed)
  const { random, clock } = history
  const reader = ethereumReader([node.url], { token: TOKEN, clock, confirmation })
  let asked = 0
  let blocksSeen = 0
  node.quirk = ({ method, params }, own) => {
    if (method === 'eth_getBlockByNumber' && String(params[0]).startsWith('0x')) asked += 1
    return random.below(FAULT_ODDS) === 0 ? random.pick([{ http: 500 }, { result: null }] as const) : own
  }
  try {
    for (let poll = 0; poll < POLLS; poll += 1) {
      history.grow()
      clock.advance(7000)
      if (random.below(CHECK_ODDS) === 0) reader.distrust()
      if (random.below(WALLET_ODDS) === 0) history.known = Math.min(WALLETS, history.known + 1)
      const head = (await certain(reader.head()))?.value
      if (head === undefined) continue
      const tip = () => history.recorded.at(-1)?.height ?? -1
      while (history.confirmed < Math.min(head.confirmed, tip())) {
        const { confirmed, watched } = history
        const blocks: Blocks = (await certain(reader.blocks(confirmed + 1, Math.min(head.confirmed, tip()), watched)))
          ?.value
        if (blocks === undefined) break
        for (const { height, hash, transfers } of blocks) {
          assert.equal(hash, history.hashAt(height), `block ${height} is not of the chain`)
          assert.deepEqual(transfers, history.transfersAt(height), `block ${height}`)
        }
        history.confirmed += blocks.length
      }
      history.goBack()
      while (tip() < head.latest) {
        const blocks: Blocks = (await certain(reader.fresh(tip() + 1, head.latest, history.watched)))?.value
        if (blocks === undefined || blocks.length === 0) break
        for (const { height, hash, transfers } of blocks) {
          assert.equal(hash, history.hashAt(height))
          assert.deepEqual(transfers, history.transfersAt(height))
          history.recorded.push({ height, hash })
        }
        blocksSeen += blocks.length
      }
    }
    return { confirmed: history.confirmed + 1, asked, blocksSeen }
  } finally {
    await reader.close()
    await node.close()
  }
}

describe('blocks that were read when they were new, on a chain that is replaced while wallets become known', () => {
  for (const confirmation of [DEPTH, 'finalized'] as const) {
    for (const seed of [1, 2, 3]) {
      test(`confirmed by ${confirmation}, seed ${seed}: what is confirmed is true`, async (t) => {
        const { confirmed, asked, blocksSeen } = await play(confirmation, seed)
        t.diagnostic(JSON.stringify({ confirmed, asked, blocksSeen }))
        assert.ok(confirmed > POLLS)
        assert.ok(asked < blocksSeen + confirmed / 2, 'most are not asked for again')
      })
    }
  }
})
