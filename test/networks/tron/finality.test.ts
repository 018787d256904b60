import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { heightsOf } from '../../support/heights.js'
import type { EmulatedTronChain } from '../../support/tron-chain.js'
import { type EmulatedTronNode, NOT_SERVED, openTronNode } from '../../support/tron-node.js'
import { trxTransfer } from '../../support/tron-transactions.js'
import { ALICE, TronFixture, token, watched } from './fixture.js'

const POLL_MS = 7000
const BLOCK_MS = 3000
const STANDS_MAX_MS = 60_000
/** Blocks that are not solidified where all producers take their turns. */
const UNCONFIRMED = 18

/** Where the solidified side of a node is: beside the full one, behind a URL of its own, or told by the full one. */
const kinds = ['one URL for both sides', 'a URL for each side', 'the full side alone'] as const

interface Followed extends Pick<TronFixture, 'chain' | 'clock' | 'reader'> {
  /** Lets the solidified blocks stand, or go on. */
  freeze(isFrozen: boolean): void
  /** Lets time pass until the next poll, with a block in every slot. */
  pass(): void
}

/** A node that loses or keeps its solidified side, whatever its chain does. */
function freezer(chain: EmulatedTronChain, node: EmulatedTronNode): (isFrozen: boolean) => void {
  return (isFrozen) => {
    node.view = isFrozen ? { blocks: chain.blocks, solidified: chain.solidified } : chain
  }
}

async function withKind(kind: (typeof kinds)[number], use: (followed: Followed) => Promise<void>): Promise<void> {
  const fixture = await TronFixture.open(1)
  const { chain, clock, node } = fixture
  const solidity = kind === 'a URL for each side' ? await openTronNode(chain, token) : node
  if (kind !== 'one URL for both sides') node.spoil(/^\/walletsolidity\//, () => NOT_SERVED)
  if (solidity !== node) solidity.spoil(/^\/wallet\//, () => NOT_SERVED)
  const elsewhere = { prefix: '/walletsolidity/', url: solidity.url }
  const address = { url: node.url, ...(solidity === node ? {} : { elsewhere }) }
  const { reader } = await TronFixture.open(0, {
    addresses: [address],
    clock,
    genesisId: chain.blocks[0]?.hash ?? '',
  })
  try {
    chain.produceEmpty(60)
    fixture.now()
    await use({ chain, clock, reader, freeze: freezer(chain, solidity), pass: () => pass(fixture) })
  } finally {
    await reader.close()
    if (solidity !== node) await solidity.close()
    await fixture.close()
  }
}

function pass({ chain, clock }: Pick<TronFixture, 'chain' | 'clock'>): void {
  clock.advance(POLL_MS)
  while (chain.newestMs + BLOCK_MS <= clock.now()) chain.produceEmpty(1)
}

for (const kind of kinds) {
  describe(`the solidified side of a TRON node, behind ${kind},`, () => {
    test('is told within a minute when it stands, and new payments are seen all the same', () =>
      withKind(kind, async ({ chain, clock, reader, freeze, pass: passPoll }) => {
        for (let i = 0; i < 20; i += 1) {
          await reader.head()
          assert.equal(reader.problem(), null)
          passPoll()
        }
        freeze(true)
        const sinceMs = clock.now()
        while (reader.problem() === null) {
          assert.ok(clock.now() - sinceMs <= STANDS_MAX_MS, 'it stands for long, and nobody says so')
          passPoll()
          await reader.head()
        }
        assert.equal(reader.problem()?.reason, 'unconfirmed')
        assert.equal(reader.endpoints()[0]?.problem?.reason, 'unconfirmed')
        const { height } = chain.produce(trxTransfer(ALICE, 5n))
        assert.equal((await reader.head()).latest, height)
        const [block] = await reader.fresh(height, height, watched)
        assert.equal(block?.transfers.length, 1)
        freeze(false)
        assert.deepEqual(heightsOf(await reader.head()), { latest: height, confirmed: height - UNCONFIRMED })
        assert.deepEqual([reader.problem(), reader.endpoints()[0]?.problem], [null, null])
      }))

    test('is asked at once when many blocks have come since the last time', () =>
      withKind(kind, async ({ chain, reader }) => {
        await reader.head()
        for (const [more, latest] of [
          [30, 90],
          [20, 110],
        ] as const) {
          chain.produceEmpty(more)
          assert.deepEqual(heightsOf(await reader.head()), { latest, confirmed: latest - UNCONFIRMED })
        }
      }))

    test('is what an examination fails when it is far behind, and tells the age of', () =>
      withKind(kind, async ({ reader, freeze, pass: passPoll }) => {
        freeze(true)
        for (let i = 0; i < 10; i += 1) passPoll()
        const [node] = await reader.examine()
        const facts = node?.facts.map(({ verdict, text }) => `${verdict}: ${text}`) ?? []
        assert.equal(
          facts.filter((fact) =>
            /^failed: .*the newest is block 42, 41 blocks behind its head and 1\d\d s old/.test(fact),
          ).length,
          1,
          facts.join('\n'),
        )
      }))
  })
}

describe('the solidified side of a TRON network with one producer', () => {
  test('is told when it stands, and no longer with the first block that is solidified', async () => {
    const fixture = await TronFixture.open(1)
    const { chain, reader, node } = fixture
    const view = { blocks: chain.blocks, solidified: 60 }
    node.view = view
    const poll = async () => {
      pass(fixture)
      await reader.head()
    }
    try {
      chain.produceEmpty(60)
      fixture.now()
      await reader.head()
      for (let polls = 0; polls < 20; polls += 1) {
        view.solidified = chain.latest
        await poll()
        assert.equal(reader.problem(), null)
      }
      const sinceMs = fixture.clock.now()
      while (reader.problem() === null) {
        assert.ok(fixture.clock.now() - sinceMs <= 2 * STANDS_MAX_MS, 'it stands for long, and nobody says so')
        await poll()
      }
      assert.ok(chain.latest - view.solidified < 32)
      view.solidified = chain.latest
      await poll()
      assert.equal(reader.problem(), null)
    } finally {
      await fixture.close()
    }
  })
})

describe('the solidified side of one of two TRON nodes', () => {
  /** Two nodes, the first of which solidifies nothing any more. */
  async function withTwo(polls: number, use: (fixture: TronFixture) => Promise<void>, isOtherWell: boolean) {
    const fixture = await TronFixture.open(2)
    const { chain, reader, nodes } = fixture
    const [standing = assert.fail(), other = assert.fail()] = nodes
    try {
      chain.produceEmpty(60)
      fixture.now()
      await reader.head()
      freezer(chain, standing)(true)
      if (!isOtherWell) other.view = chain.view()
      for (let i = 0; i < polls; i += 1) pass(fixture)
      await use(fixture)
    } finally {
      await fixture.close()
    }
  }

  test('is told when it stands, and the other one confirms', () =>
    withTwo(
      10,
      async ({ chain, reader }) => {
        assert.equal((await reader.head()).confirmed, chain.solidified)
        assert.equal(reader.problem(), null)
        assert.deepEqual(
          reader.endpoints().map(({ problem }) => problem?.reason),
          ['unconfirmed', undefined],
        )
      },
      true,
    ))

  test('is that of the network when it stands, and the other one has stopped altogether', () =>
    withTwo(
      12,
      async ({ reader }) => {
        await reader.head()
        assert.equal(reader.problem()?.reason, 'unconfirmed')
        assert.deepEqual(
          reader.endpoints().map(({ problem }) => problem?.reason),
          ['unconfirmed', 'stalled'],
        )
      },
      false,
    ))
})
