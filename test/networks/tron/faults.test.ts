import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ObservedBlock } from '../../../src/domain/block.js'
import { NodeUnavailable } from '../../../src/networks/network-reader.js'
import { heightsOf } from '../../support/heights.js'
import { truthOf } from '../../support/tron-chain.js'
import { tokenTransfer, trc10Transfer, trxTransfer, vote } from '../../support/tron-transactions.js'
import { blockFaults, headFaults, type NodeFault, nothing, receiptFaults, transportFaults } from './faults.js'
import { ALICE, BOB, impatientScheduler, ours, STRANGER, TOKEN, TronFixture, watched } from './fixture.js'

const SOLIDIFIED = 5
const NEWEST = SOLIDIFIED + 18

/** A question to a reader, and what the faults of which answers spoil it. */
const questions = ['head', 'solidified block', 'newest block', 'range'] as const
type Question = (typeof questions)[number]

/** A chain whose every block but the first pays us in both ways. */
async function openChain(nodes: number, options = {}): Promise<TronFixture> {
  const fixture = await TronFixture.open(nodes, options)
  while (fixture.chain.latest < NEWEST) {
    const payments = [trxTransfer(ALICE, 9_007_199_254_740_993n), tokenTransfer(TOKEN, BOB, 3n)]
    fixture.chain.produce(trxTransfer(STRANGER, 1n), vote(), ...payments, trc10Transfer(ALICE, 9n))
  }
  fixture.now()
  return fixture
}

/** Every block announces a payment, so new ones are read as solidified ones are. */
function truth({ chain }: TronFixture, height: number): ObservedBlock {
  return truthOf(chain.blocks[height] ?? assert.fail(`no block ${height}`), ours)
}

/** Puts the question and requires the truth, or that nothing is told. */
async function ask(fixture: TronFixture, question: Question): Promise<'truth' | 'unavailable' | 'nothing'> {
  const { reader } = fixture
  try {
    switch (question) {
      case 'head':
        assert.deepEqual(heightsOf(await reader.head()), { latest: NEWEST, confirmed: SOLIDIFIED })
        return 'truth'
      case 'solidified block':
        assert.deepEqual(await reader.block(SOLIDIFIED, watched), truth(fixture, SOLIDIFIED))
        return 'truth'
      case 'newest block': {
        const block = await reader.block(NEWEST, watched)
        if (block === null) return 'nothing'
        assert.deepEqual(block, truth(fixture, NEWEST))
        return 'truth'
      }
      case 'range': {
        const blocks = await reader.blocks(2, SOLIDIFIED, watched)
        assert.ok(blocks.length > 0)
        assert.deepEqual(
          blocks,
          blocks.map((_, i) => truth(fixture, 2 + i)),
        )
        return 'truth'
      }
    }
  } catch (error) {
    if (!(error instanceof NodeUnavailable)) throw error
    return 'unavailable'
  }
}

/** The reader has been asked before: it knows the head, its nodes are checked, and it reads several blocks at once. */
async function settle(fixture: TronFixture): Promise<void> {
  await fixture.reader.head()
  await fixture.reader.blocks(1, 1, watched)
}

function suffers(fault: NodeFault, question: Question): boolean {
  const paths = {
    head: ['/wallet/getnowblock'],
    'solidified block': ['/walletsolidity/getblockbynum', '/walletsolidity/gettransactioninfobyblocknum'],
    'newest block': ['/wallet/getblockbynum', '/wallet/gettransactioninfobyblocknum'],
    range: ['/walletsolidity/getblockbylimitnext', '/walletsolidity/gettransactioninfobyblocknum'],
  }
  return paths[question].some((path) => fault.path.test(path))
}

/** Opens a chain, settles, spoils the first node, and asks. Answers what was told, and how often the first node failed. */
async function askSpoilt(
  nodes: number,
  fault: NodeFault,
  question: Question,
): Promise<{ readonly told: Awaited<ReturnType<typeof ask>>; readonly failures: number }> {
  const fixture = await openChain(nodes)
  try {
    await settle(fixture)
    fixture.node.spoil(fault.path, fault.fault)
    const told = await ask(fixture, question)
    return { told, failures: fixture.reader.endpoints()[0]?.failures ?? 0 }
  } finally {
    await fixture.close()
  }
}

describe('TRON reader with a faulty node', () => {
  for (const fault of [...transportFaults, ...headFaults, ...blockFaults, ...receiptFaults]) {
    test(fault.name, async (t) => {
      const spoilt = questions.filter((question) => suffers(fault, question))
      assert.ok(spoilt.length > 0)
      for (const question of spoilt) {
        await t.test(`${question}: the node itself or another one tells the truth`, async () => {
          const { told, failures } = await askSpoilt(2, fault, question)
          assert.equal(told, 'truth')
          assert.ok(failures <= (fault.isLimit ? 0 : 1))
        })
      }
      await t.test('once: the node itself tells the truth after a pause', async () => {
        const fixture = await openChain(1)
        try {
          await settle(fixture)
          fixture.node.spoil(fault.path, fault.fault, 1)
          await ask(fixture, spoilt[0] ?? 'head')
          fixture.clock.advance(60_000)
          for (const question of questions) assert.equal(await ask(fixture, question), 'truth')
        } finally {
          await fixture.close()
        }
      })
    })
  }

  for (const fault of transportFaults) {
    test(`${fault.name}: alone it tells nothing`, async () => {
      for (const question of questions) {
        const { told } = await askSpoilt(1, fault, question)
        // An object without anything of a block may mean that there is none yet.
        assert.ok(told === 'unavailable' || (told === 'nothing' && question === 'newest block'), told)
      }
    })
  }

  test('a node that does not know a block is no reason to believe that there is none', async () => {
    assert.deepEqual(await askSpoilt(2, nothing, 'newest block'), { told: 'truth', failures: 0 })
    assert.deepEqual(await askSpoilt(1, nothing, 'newest block'), { told: 'nothing', failures: 0 })
    for (const question of ['head', 'solidified block', 'range'] as const) {
      assert.deepEqual(await askSpoilt(2, nothing, question), { told: 'truth', failures: 1 })
      assert.deepEqual(await askSpoilt(1, nothing, question), { told: 'unavailable', failures: 1 })
    }
  })

  for (const question of questions) {
    test(`hanging, asked for ${question}: the time ends, and another node tells the truth`, async () => {
      const { scheduler, endAll } = impatientScheduler()
      const fixture = await openChain(2, { scheduler })
      try {
        await settle(fixture)
        fixture.node.spoil(/./, () => {
          setImmediate(endAll)
          return 'hanging'
        })
        assert.equal(await ask(fixture, question), 'truth')
        assert.equal(fixture.reader.endpoints()[0]?.failures, 1)
      } finally {
        await fixture.close()
      }
    })
  }
})
