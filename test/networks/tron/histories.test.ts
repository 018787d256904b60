import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { ObservedBlock } from '../../../src/domain/block.js'
import type { TronEntry } from '../../../src/networks/catalogue/entry.js'
import { NodeUnavailable } from '../../../src/networks/network-reader.js'
import { accountOfAddress } from '../../../src/networks/tron/address.js'
import { Random } from '../../simulation/random.js'
import { CATALOGUE } from '../../support/catalogue.js'
import { seedsOf } from '../../support/seeds.js'
import { type EmulatedBlock, type EmulatedTronChain, truthOf } from '../../support/tron-chain.js'
import type { FaultyAnswer } from '../../support/tron-node.js'
import {
  contractCall,
  type EmulatedTransaction,
  tokenTransfer,
  transferLog,
  trc10Transfer,
  trxTransfer,
  vote,
} from '../../support/tron-transactions.js'
import { blockFaults, headFaults, nothing, receiptFaults, transportFaults } from './faults.js'
import { ALICE, BOB, OURS, ours, STRANGER, TOKEN_ADDRESS, TronFixture, token, watched } from './fixture.js'

const STEPS = 60
/** One in so many answers is spoilt, and one in so many requests comes at a moment when the chain moves. */
const FAULT_ODDS = 12
const MOVE_ODDS = 4
const LAG_MAX = 8
const REORGANISATION_MAX = 12

const faults = [...transportFaults, nothing, ...headFaults, ...blockFaults, ...receiptFaults]

/** A chain that moves by chance: blocks are produced, undone, and produced again with some of what was undone. */
class RestlessChain {
  /** Every block that was ever part of the chain. */
  readonly ever = new Map<string, EmulatedBlock>()
  private undone: readonly EmulatedTransaction[] = []

  constructor(
    private readonly chain: EmulatedTronChain,
    /** The account of the token's contract. */
    private readonly token: string,
    private readonly random: Random,
  ) {
    for (const block of chain.blocks) this.ever.set(block.hash, block)
  }

  move(): void {
    const { chain, random } = this
    if (random.below(8) === 0) {
      const depth = random.below(Math.min(REORGANISATION_MAX, chain.latest - chain.solidified) + 1)
      this.undone = chain.undo(depth).flatMap(({ transactions }) => transactions)
      for (let i = 0; i <= depth; i += 1) this.produce()
    } else {
      this.produce()
    }
  }

  private produce(): void {
    const { chain, random } = this
    const again = this.undone.filter(() => random.below(3) === 0)
    this.undone = this.undone.filter((transaction) => !again.includes(transaction))
    const made = Array.from({ length: random.below(4) }, () => this.transaction())
    const block = chain.produce(...again, ...made)
    this.ever.set(block.hash, block)
  }

  private transaction(): EmulatedTransaction {
    const { random, token } = this
    const account = [...OURS, STRANGER][random.below(OURS.length + 1)] ?? ALICE
    const amount = BigInt(random.next()) * BigInt(random.next())
    const result = random.below(4) === 0 ? 'REVERT' : 'SUCCESS'
    switch (random.below(5)) {
      case 0:
        return trxTransfer(account, amount % 2n ** 63n)
      case 1:
        return tokenTransfer(token, account, amount, result)
      case 2:
        return trc10Transfer(account, amount)
      case 3: {
        const pays = [ALICE, BOB].map((to, i) => ({ account: to, index: i + 1, currency: 'Tether', amount: '7' }))
        return contractCall(STRANGER, [transferLog(token, ALICE, 7n), transferLog(token, BOB, 7n)], pays, result)
      }
      default:
        return vote()
    }
  }
}

/** What a block has to be: one that was part of the chain, and where it was called solidified, one that still is. */
function assertTrue(block: ObservedBlock, restless: RestlessChain, chain: EmulatedTronChain, confirmed: number): void {
  const emulated = restless.ever.get(block.hash) ?? assert.fail(`never part of the chain: ${block.hash}`)
  const truth = truthOf(emulated, ours)
  // What a new block does not announce, or its infos do not say yet, is read when it is solidified.
  // A node that seemed to be of another network makes the reader forget what is solidified.
  const isForgotten = block.unannounced === undefined && truth.unannounced !== undefined
  const isNew = block.height > confirmed || isForgotten
  const told = isNew
    ? truth.transfers.filter((one) => block.transfers.some((each) => isDeepStrictEqual(each, one)))
    : null
  if (told === null) assert.deepEqual(block, truth)
  else assert.deepEqual(block.transfers, told)
  if (block.height <= confirmed) assert.equal(block.hash, chain.blocks[block.height]?.hash)
}

/** Asks at random, of nodes that lag and fail at random, while the chain moves. Answers how many questions were answered. */
async function play({ id, tokens: [usdt] }: TronEntry, seed: number): Promise<number> {
  const { contract, decimals } = usdt ?? assert.fail('a network has a token')
  const random = new Random(seed)
  const account = accountOfAddress(contract ?? TOKEN_ADDRESS) ?? assert.fail()
  const variant = { network: id, tokenDecimals: decimals }
  const fixture = await TronFixture.open(2, variant, { ...token, account })
  const { chain, nodes, reader, clock } = fixture
  const restless = new RestlessChain(chain, account, random)
  try {
    for (let i = 0; i < 30; i += 1) restless.move()
    for (const node of nodes) {
      node.onRequest = () => {
        if (random.below(MOVE_ODDS) === 0) restless.move()
        node.view = random.below(6) === 0 ? chain.view(random.below(LAG_MAX)) : chain
      }
      node.spoil(/./, (answer, request): FaultyAnswer => {
        if (random.below(FAULT_ODDS) !== 0) return { json: answer }
        const { path, fault } = faults[random.below(faults.length)] ?? assert.fail()
        return path.test(request.path) ? fault(answer, request) : { json: answer }
      })
    }
    let confirmed = -1
    let answered = 0
    for (let step = 0; step < STEPS; step += 1) {
      fixture.now()
      clock.advance(random.below(60_000))
      try {
        switch (random.below(3)) {
          case 0: {
            const head = await reader.head()
            assert.ok(head.confirmed <= chain.solidified && head.confirmed <= head.latest)
            confirmed = Math.max(confirmed, head.confirmed)
            break
          }
          case 1: {
            const height = Math.max(1, chain.latest - random.below(30))
            const block = await reader.block(height, watched)
            if (block === null) assert.ok(height > confirmed)
            else assertTrue(block, restless, chain, confirmed)
            break
          }
          default: {
            if (confirmed < 1) continue
            const from = 1 + random.below(confirmed)
            const blocks = await reader.blocks(from, confirmed, watched)
            assert.ok(blocks.length > 0 && from + blocks.length - 1 <= confirmed)
            for (const [i, block] of blocks.entries()) {
              assert.equal(block.height, from + i)
              assertTrue(block, restless, chain, confirmed)
            }
          }
        }
        answered += 1
      } catch (error) {
        if (!(error instanceof NodeUnavailable)) throw error
      }
    }
    return answered
  } finally {
    await fixture.close()
  }
}

describe('TRON reader of a restless chain with faulty nodes', () => {
  const entries = CATALOGUE.filter((entry) => entry.kind === 'tron')
  for (const [i, entry] of entries.entries()) {
    for (const seed of seedsOf(1 + 5 * i)) {
      test(`${entry.id}, seed ${seed}: whatever it tells is true`, async () => {
        const answered = await play(entry, seed)
        assert.ok(answered > STEPS / 3, `${answered} of ${STEPS} questions were answered`)
      })
    }
  }
})
