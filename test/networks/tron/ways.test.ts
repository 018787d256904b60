import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { NodeUnavailable } from '../../../src/networks/network-reader.js'
import { TRIED_AGAIN_FIRST_MS } from '../../../src/networks/node/shortcomings.js'
import { heightsOf } from '../../support/heights.js'
import { projectRoot } from '../../support/project-root.js'
import { truthOf } from '../../support/tron-chain.js'
import { type FaultyAnswer, NOT_SERVED } from '../../support/tron-node.js'
import {
  contractCall,
  emulatedAccount,
  tokenTransfer,
  transferLog,
  trxTransfer,
} from '../../support/tron-transactions.js'
import { ALICE, BOB, ours, STRANGER, TOKEN, TronFixture, watched } from './fixture.js'

/** How nodes do not answer a path. */
const refusals: readonly (readonly [name: string, answer: FaultyAnswer])[] = [
  ['404', { text: 'Not Found', status: 404 }],
  ['405', NOT_SERVED],
  ['501', { text: '', status: 501 }],
  ['403 of a plan', { json: { Error: 'this method is not available in your plan' }, status: 403 }],
  ['a disabled API', { json: { Error: 'this API is unavailable due to config' }, status: 404 }],
  ['words', { text: 'this API is closed' }],
  ['an error', { json: { Error: 'class java.lang.NullPointerException : null' } }],
  ['nothing', { json: {} }],
  ['an empty list', { json: [] }],
  ['half', { text: '{"block":[{"blockID":' }],
]

/** What a node does not answer, and the paths that help. */
const closed: readonly (readonly [name: string, path: RegExp])[] = [
  ['ranges', /getblockbylimitnext$/],
  ['infos of a block', /gettransactioninfobyblocknum$/],
  ['ranges and infos of a block', /getblockbylimitnext$|gettransactioninfobyblocknum$/],
]

async function withChain(use: (fixture: TronFixture) => Promise<void>, variant = {}): Promise<void> {
  const fixture = await TronFixture.open(1, variant)
  const { chain } = fixture
  try {
    const hidden = { account: BOB, index: 1, currency: 'Tether', amount: '9' }
    for (let i = 0; i < 5; i += 1) {
      chain.produce(
        contractCall(emulatedAccount(5), [], []),
        tokenTransfer(TOKEN, ALICE, 7n),
        contractCall(emulatedAccount(6), [transferLog(TOKEN, BOB, 9n)], [hidden]),
        trxTransfer(ALICE, 1n),
      )
    }
    chain.produceEmpty(18)
    fixture.now()
    await use(fixture)
  } finally {
    await fixture.close()
  }
}

/** Reads the solidified blocks as a watcher does, and returns how many failures there were. */
async function assertAllRead({ reader, chain, clock }: TronFixture): Promise<number> {
  let failures = 0
  for (let next = 1; next <= 5; ) {
    try {
      const blocks = await reader.blocks(next, 5, watched)
      for (const block of blocks) assert.deepEqual(block, truthOf(chain.blocks[block.height] ?? assert.fail(), ours))
      next += blocks.length
    } catch (error) {
      assert.ok(error instanceof NodeUnavailable && failures < 20, String(error))
      failures += 1
      clock.advance(60_000)
    }
  }
  return failures
}

describe('a TRON node that does not tell its newest block by itself', () => {
  for (const [name, answer] of refusals) {
    for (const [what, path] of [
      ['the usual query', /getnowblock$/],
      ['two of the queries', /getnowblock$|getblock$/],
      ['two others of them', /getnowblock$|getblockbylatestnum$/],
    ] as const) {
      test(`is followed where it answers ${what} with ${name}`, () =>
        withChain(async (fixture) => {
          const { node, reader, chain } = fixture
          node.spoil(path, () => answer)
          await reader.verify()
          const told = await reader.head()
          assert.deepEqual([told.latest, told.confirmed], [chain.blocks.length - 1, chain.blocks.length - 1 - 18])
          assert.equal(await assertAllRead(fixture), 0)
          assert.equal(reader.endpoints()[0]?.problem, null)
        }))
    }
  }

  test('is not asked again each time for what it does not serve', () =>
    withChain(async ({ node, reader, chain, clock }) => {
      node.spoil(/getnowblock$|getblockbylimitnext$/, () => NOT_SERVED)
      await reader.head()
      await reader.fresh(chain.latest, chain.latest, watched)
      await reader.head()
      const asked = () => node.requests.filter(({ path }) => path === '/wallet/getnowblock').length
      const before = asked()
      assert.ok(before > 0)
      for (let n = 0; n < 3; n += 1) {
        // So old that it is looked for by itself.
        clock.set(chain.newestMs + 31_000 + n)
        await reader.head()
      }
      assert.equal(asked(), before)
    }))
})

describe('a TRON node that does not answer every question', () => {
  for (const [what, path] of closed) {
    for (const [name, answer] of refusals) {
      test(`${what}, but ${name}: the blocks are read in another way`, () =>
        withChain(async (fixture) => {
          fixture.node.spoil(path, () => answer)
          await fixture.reader.head()
          assert.equal(await assertAllRead(fixture), 0)
        }))
    }
  }

  test('solidified blocks are found where every range looks like one beyond the end', () =>
    withChain(async (fixture) => {
      const { node, reader, chain } = fixture
      node.spoil(/getblockbylimitnext$/, () => ({ json: { block: [] } }))
      const { confirmed } = await reader.head()
      for (let next = confirmed; next <= confirmed; ) next += (await reader.blocks(next, confirmed, watched)).length
      for (let i = 1; i <= 3; i += 1) {
        chain.produceEmpty(10)
        fixture.now()
        // The solidified side is not asked with each head.
        const heads = [await reader.head(), await reader.head(), await reader.head(), await reader.head()]
        assert.equal(heads.at(-1)?.confirmed, confirmed + 10 * i)
      }
    }))

  const machines: readonly [what: string, answer: (answer: unknown, path: string) => FaultyAnswer][] = [
    ['down', () => ({ text: 'Bad gateway', status: 502 })],
    [
      'behind',
      (answer, path) => {
        if (path.endsWith('getnodeinfo')) return { json: answer }
        return { json: path.endsWith('blocknum') ? [] : {} }
      },
    ],
  ]
  for (const [what, broken] of machines) {
    for (const count of [2, 3]) {
      test(`one of ${count} machines behind its address is ${what}: the others answer`, () =>
        withChain(async (fixture) => {
          let calls = 0
          fixture.node.spoil(/./, (answer, { path }) => {
            calls += 1
            return calls % count === 0 ? broken(answer, path) : { json: answer }
          })
          await fixture.reader.verify()
          await fixture.reader.head()
          await assertAllRead(fixture)
        }))
    }
  }

  test('is not asked again for a minute what it does not serve, and then it is', () =>
    withChain(async (fixture) => {
      const { node, reader, clock } = fixture
      const path = '/walletsolidity/gettransactioninfobyblocknum'
      const asked = async () => {
        const before = node.requests.length
        await reader.blocks(1, 1, watched)
        return node.requests.slice(before).filter((request) => request.path === path).length
      }
      node.spoil(/gettransactioninfobyblocknum$/, () => NOT_SERVED, 1)
      assert.equal(await asked(), 1)
      assert.equal(await asked(), 0)
      clock.advance(TRIED_AGAIN_FIRST_MS - 1)
      assert.equal(await asked(), 0)
      clock.advance(1)
      assert.equal(await asked(), 1)
      assert.equal(await asked(), 1)
    }))

  test('is asked again what it failed at once or twice, and not what it failed at three times in a row', () =>
    withChain(async (fixture) => {
      const { node, reader } = fixture
      const path = '/walletsolidity/gettransactioninfobyblocknum'
      const asked = async () => {
        const before = node.requests.length
        await reader.blocks(1, 1, watched)
        return node.requests.slice(before).filter((request) => request.path === path).length
      }
      node.spoil(/gettransactioninfobyblocknum$/, () => ({ text: '', status: 502 }))
      assert.deepEqual([await asked(), await asked(), await asked(), await asked()], [2, 2, 2, 0])
    }))

  test('a refusal of the rate is no reason to ask in another way', () =>
    withChain(async (fixture) => {
      const { node, reader } = fixture
      await reader.head()
      const before = node.requests.length
      node.spoil(/gettransactioninfobyblocknum$/, () => ({ text: '', status: 429 }))
      await assert.rejects(reader.blocks(1, 1, watched), NodeUnavailable)
      const paths = node.requests.slice(before).map(({ path }) => path)
      assert.ok(!paths.some((path) => path.endsWith('gettransactioninfobyid')), paths.join())
    }))

  test('says in one sentence what each way brought', () =>
    withChain(async (fixture) => {
      fixture.node.spoil(/gettransactioninfobyblocknum$/, () => ({
        json: { Error: 'this API is unavailable due to config' },
        status: 404,
      }))
      fixture.node.spoil(/gettransactioninfobyid$/, () => ({ json: { Error: 'class java.lang.Error : disk' } }))
      await fixture.reader.head()
      await assert.rejects(
        fixture.reader.blocks(1, 1, watched),
        /byblocknum: HTTP status 404: this API is unavailable due to config: remove it from node\.disabledApi.*; \/walletsolidity\/gettransactioninfobyid: class java\.lang\.Error : disk/,
      )
    }))

  test('infos that say nothing of another transaction do not matter', () =>
    withChain(async (fixture) => {
      fixture.node.spoil(/gettransactioninfobyblocknum$/, (infos) => {
        const [first, ...rest] = infos as object[]
        return { json: [{ ...first, id: 'f'.repeat(64), log: null }, ...rest, null, 7, first] }
      })
      await fixture.reader.head()
      assert.equal(await assertAllRead(fixture), 0)
    }))

  test('an answer of more than is kept brings its first blocks, and the rest is asked for again', async () => {
    const fixture = await TronFixture.open(1, { answerLimitBytes: 100_000_000 })
    const { chain, node, reader } = fixture
    try {
      const words = Array.from({ length: 256 }, (_, i) => emulatedAccount(5000 + i).padStart(64, '0')).join('')
      const named = () => contractCall(emulatedAccount(5), [], [], 'SUCCESS', `a9059cbb${words}`)
      for (let i = 0; i < 3; i += 1) chain.produce(...Array.from({ length: 250 }, named), trxTransfer(ALICE, 1n))
      chain.produceEmpty(18)
      fixture.now()
      await reader.head()
      const heights: number[][] = []
      while (heights.flat().length < 3) {
        const blocks = await reader.blocks(heights.flat().length + 1, 3, watched)
        heights.push(blocks.map(({ height, transfers }) => (transfers.length === 1 ? height : -1)))
      }
      // The first query is for two blocks.
      assert.deepEqual(heights, [[1], [2], [3]])
      assert.ok(node.requests.some(({ body }) => body['startNum'] === 1 && body['endNum'] === 3))
    } finally {
      await fixture.close()
    }
  })

  test('a block that lacks a transaction which has an info in it is none', () =>
    withChain(async (fixture) => {
      fixture.node.spoil(/getblockby(?:num|limitnext)$/, (answer) => {
        const copy = structuredClone(answer) as { block?: { transactions?: object[] }[]; transactions?: object[] }
        for (const block of copy.block ?? [copy]) block.transactions?.pop()
        return { json: copy }
      })
      await fixture.reader.head()
      await assert.rejects(fixture.reader.blocks(1, 1, watched), /transaction [0-9a-f]{64} is left out/)
    }))
})

describe('a TRON node that has no infos of a solidified block', () => {
  /** The node says that these heights have no infos; attempts at block 2 are made, and what is said of the node is told. */
  async function attempts(
    { node, reader, clock }: TronFixture,
    lacks: (height: number) => boolean,
    height: number,
  ): Promise<readonly (string | null)[]> {
    const problems: (string | null)[] = []
    node.spoil(/gettransactioninfobyblocknum$/, (answer, { body }) => ({
      json: lacks(Number(body['num'])) ? [] : answer,
    }))
    node.spoil(/gettransactioninfobyid$/, (answer) => {
      const { blockNumber } = answer as { readonly blockNumber?: number }
      return { json: blockNumber === undefined || lacks(blockNumber) ? {} : answer }
    })
    for (let i = 0; i < 5; i += 1) {
      // The block is there for good without them, so it has to be set aside in the end.
      await assert.rejects(
        reader.blocks(height, height, watched),
        (error) => error instanceof NodeUnavailable && error.isOfBlock,
      )
      problems.push(reader.endpoints()[0]?.problem?.message ?? null)
      clock.advance(60_000)
    }
    return problems
  }

  const KEEPS_NONE = /storage\.transHistory\.switch = "on"/
  const cases: readonly (readonly [name: string, lacks: (height: number) => boolean, keepsNone: boolean])[] = [
    ['and has those of a newer one, lacks this block', (height) => height === 2, false],
    ['nor of any newer one, keeps no history, although it has older ones', (height) => height >= 2, true],
    ['nor of any other one, keeps no history', () => true, true],
  ]
  for (const [name, lacks, keepsNone] of cases) {
    test(name, () =>
      withChain(async (fixture) => {
        for (const problem of await attempts(fixture, lacks, 2)) {
          if (keepsNone) assert.match(problem ?? '', KEEPS_NONE)
          else assert.equal(problem, null)
        }
      }),
    )
  }

  test('which is the newest with calls, lacks this block when it has those of an older one', () =>
    withChain(async (fixture) => {
      const problems = await attempts(fixture, (height) => height === 5, 5)
      assert.deepEqual(new Set(problems), new Set([null]))
    }))

  test('and fails to give those of another one whole, lacks this block, as far as is known', () =>
    withChain(async (fixture) => {
      const { node, reader } = fixture
      node.spoil(/gettransactioninfobyblocknum$/, (answer, { body }) => ({
        json: body['num'] === 2 ? [] : (answer as readonly unknown[]).slice(0, 1),
      }))
      node.spoil(/gettransactioninfobyid$/, () => ({ json: {} }))
      await assert.rejects(reader.blocks(2, 2, watched), /: block 2: no infos of 3 transactions/)
    }))

  test('and gives no other block to compare it with, lacks this block, as far as is known', () =>
    withChain(async (fixture) => {
      fixture.node.spoil(/getblockby/, (answer, { body }) => (body['num'] === 2 ? { json: answer } : { json: {} }))
      const problems = await attempts(fixture, () => true, 2)
      assert.deepEqual(new Set(problems), new Set([null]))
    }))
})

describe('a TRON node that serves no /walletsolidity', () => {
  const withFull = (use: (fixture: TronFixture) => Promise<void>) =>
    withChain(async (fixture) => {
      fixture.node.spoil(/^\/walletsolidity\//, () => NOT_SERVED)
      await use(fixture)
    })

  test('tells what is final by getnodeinfo, and gives it', () =>
    withFull(async (fixture) => {
      const { reader, chain, node } = fixture
      assert.deepEqual(heightsOf(await reader.head()), { latest: 23, confirmed: 5 })
      assert.equal(await assertAllRead(fixture), 0)
      chain.produceEmpty(1)
      fixture.now()
      assert.deepEqual((await reader.block(6, watched))?.height, 6)
      assert.ok(node.requests.every(({ path }, i) => i < 1 || !path.startsWith('/walletsolidity/getblock')))
    }))

  test('reads the answer of a real java-tron', () =>
    withFull(async ({ reader, node, chain }) => {
      const path = join(projectRoot, 'test/networks/tron/recorded/nodeinfo-java-tron-4.8.0.jsonl')
      const recorded = readFileSync(path, 'utf8')
      const final = `Num:5,ID:${chain.blocks[5]?.hash}`
      node.spoil(/getnodeinfo$/, () => ({ text: recorded.replaceAll(/Num:71,ID:[0-9a-f]{64}/g, final) }))
      assert.deepEqual(heightsOf(await reader.head()), { latest: 23, confirmed: 5 })
    }))

  test('is asked again when it names the first block for a moment', () =>
    withFull(async ({ reader, node, chain }) => {
      await reader.head()
      node.spoil(/getnodeinfo$/, () => ({ json: { solidityBlock: `Num:0,ID:${chain.blocks[0]?.hash}` } }), 1)
      assert.equal((await reader.head()).confirmed, 5)
      assert.equal(node.requests.filter(({ path }) => path.endsWith('getnodeinfo')).length, 4)
    }))

  test('compares the id of what it calls final', () =>
    withFull(async (fixture) => {
      const { reader, node, chain } = fixture
      node.spoil(/getnodeinfo$/, () => ({ json: { solidityBlock: `Num:5,ID:${chain.blocks[4]?.hash}` } }))
      await assert.rejects(reader.head(), /the solidified block 5 is another one/)
    }))

  test('gives no block as final that it does not call so', () =>
    withFull(async (fixture) => {
      const { reader, node, chain } = fixture
      await reader.head()
      node.spoil(/getnodeinfo$/, () => ({ json: { solidityBlock: `Num:5,ID:${chain.blocks[5]?.hash}` } }))
      await assert.rejects(reader.blocks(6, 6, watched), /block 6: not solidified here yet/)
    }))

  for (const [name, answer] of [
    ['a page', NOT_SERVED],
    ['a disabled API', { json: { Error: 'this API is unavailable due to config' }, status: 404 }],
  ] as const) {
    test(`and ${name} for getnodeinfo does not say what is final`, () =>
      withFull(async ({ reader, node }) => {
        node.spoil(/getnodeinfo$/, () => answer)
        await assert.rejects(reader.verify(), /getnodeinfo.*name the address of its solidity port/)
        assert.equal(reader.endpoints()[0]?.problem?.reason, 'no_finality')
      }))
  }

  test('is of another network when its first block is', () =>
    withChain(
      async ({ reader, node }) => {
        node.spoil(/^\/walletsolidity\//, () => NOT_SERVED)
        await assert.rejects(reader.verify(), /its first block is/)
      },
      { genesisId: '1'.repeat(64) },
    ))

  test('does without a solidified side that fails, until it is checked again', () =>
    withChain(async ({ chain, reader, node }) => {
      node.spoil(/^\/walletsolidity\//, () => ({ text: 'Bad gateway', status: 502 }), 2)
      const infos = () => node.requests.filter(({ path }) => path.endsWith('getnodeinfo')).length
      await reader.verify()
      assert.equal((await reader.head()).confirmed, chain.solidified)
      const asked = infos()
      assert.ok(asked > 0)
      await reader.verify()
      assert.equal((await reader.head()).confirmed, chain.solidified)
      assert.equal(infos(), asked)
    }))

  test('tells what its solidified side says where nothing else says what is final', () =>
    withChain(async ({ reader, node }) => {
      node.spoil(/^\/walletsolidity\//, () => ({ text: 'Bad gateway', status: 502 }))
      node.spoil(/getnodeinfo$/, () => NOT_SERVED)
      // It may be well again soon, so it is no problem that somebody has to solve.
      await assert.rejects(reader.verify(), (error) => {
        return error instanceof NodeUnavailable && error.problem === null && /walletsolidity.*502/.test(error.message)
      })
    }))
})

describe('new blocks of a TRON node', () => {
  test('wait for their infos, and are taken without them after a while', () =>
    withChain(async ({ chain, node, reader, clock }) => {
      await reader.head()
      const announced = chain.produce(trxTransfer(ALICE, 1n), tokenTransfer(TOKEN, BOB, 2n))
      // By block and by transaction, each asked twice, in two attempts, and in the third one.
      node.spoil(/gettransactioninfoby/, () => ({ json: [] }), 8)
      node.spoil(/gettransactioninfoby/, () => ({ json: {} }), 4)
      for (let i = 0; i < 2; i += 1) {
        await assert.rejects(reader.fresh(24, 24, watched), NodeUnavailable)
        clock.advance(60_000)
      }
      const [block] = await reader.fresh(24, 24, watched)
      const truth = truthOf(announced, ours)
      assert.deepEqual(block, { ...truth, transfers: truth.transfers.slice(0, 1) })
    }))

  test('are asked for infos only where they name one of ours', () =>
    withChain(async ({ chain, node, reader }) => {
      await reader.head()
      chain.produce(tokenTransfer(TOKEN, STRANGER, 2n), trxTransfer(ALICE, 1n))
      const before = node.requests.length
      assert.equal((await reader.fresh(24, 24, watched))[0]?.transfers.length, 1)
      assert.ok(!node.requests.slice(before).some(({ path }) => path.includes('info')))
    }))
})
