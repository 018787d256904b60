import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NodeUnavailable, WrongNode } from '../../../src/networks/network-reader.js'
import { EmulatedTronChain } from '../../support/tron-chain.js'
import { type FaultyAnswer, NOT_SERVED, openTronNode } from '../../support/tron-node.js'
import { emulatedAccount } from '../../support/tron-transactions.js'
import { impatientScheduler, TronFixture, type TronVariant, token, watched } from './fixture.js'

const word = (hex: string): string => hex.padStart(64, '0')
const text = (bytes: string, length = bytes.length): string =>
  `${word('20')}${word(length.toString(16))}${Buffer.from(bytes).toString('hex').padEnd(64, '0')}`

/** What a token's methods return, or null when calling them reverts; and whether such a token is taken. */
const tokens: readonly (readonly [name: string, decimals: string | null, symbol: string | null, isTaken: boolean])[] = [
  ['the one that is configured', word('6'), text('USDT'), true],
  ['one with a symbol in bytes32', word('6'), Buffer.from('USDT').toString('hex').padEnd(64, '0'), true],
  ['one with a long symbol', word('6'), text('x'.repeat(32)), true],
  ['one with other decimals', word('12'), text('USDT'), false],
  ['one with decimals without end', 'f'.repeat(64), text('USDT'), false],
  ['one with decimals that are half', '06', text('USDT'), false],
  ['one without decimals', null, text('USDT'), false],
  ['one without symbol', word('6'), null, true],
  ['one with an empty symbol', word('6'), text(''), true],
  ['one with a symbol of zeros', word('6'), word('0'), true],
  ['one with a symbol longer than told', word('6'), `${word('20')}${word('ffffffffffff')}`, true],
  ['one with an unreadable symbol', word('6'), text('\u0007'), true],
  ['one with a symbol that is not UTF-8', word('6'), `${word('20')}${word('1')}ff`, true],
  ['one with a symbol of no form', word('6'), '20', true],
]

/** Answers to a call of a constant method, and what `verify` makes of them. */
const calls: readonly (readonly [name: string, answer: unknown, end: typeof WrongNode | typeof NodeUnavailable])[] = [
  ['another failure', { result: { code: 'OTHER_ERROR', message: '6f6f7073' } }, NodeUnavailable],
  ['no result', { constant_result: [word('6')] }, NodeUnavailable],
  ['a result that says nothing', { result: {}, constant_result: [word('6')] }, NodeUnavailable],
  ['nothing returned', { result: { result: true } }, NodeUnavailable],
  ['something else than hex returned', { result: { result: true }, constant_result: [6] }, NodeUnavailable],
  ['an error', { Error: 'lack of computing resources' }, NodeUnavailable],
  ['nothing', {}, NodeUnavailable],
]

function noConstantCalls(): unknown {
  const message = Buffer.from('this node does not support constant').toString('hex')
  return { result: { code: 'CONTRACT_VALIDATE_ERROR', message } }
}

async function withFixture(
  options: TronVariant,
  count: number,
  work: (fixture: TronFixture) => Promise<void>,
): Promise<void> {
  const fixture = await TronFixture.open(count, options)
  try {
    await work(fixture)
  } finally {
    await fixture.close()
  }
}

describe('TRON reader, verifying its nodes', () => {
  for (const [name, decimals, symbol, isTaken] of tokens) {
    test(`the token is ${name}`, () =>
      withFixture({}, 1, async ({ node, reader }) => {
        const returns = { 'decimals()': decimals, 'symbol()': symbol }
        node.spoil(/triggerconstantcontract/, (_answer, { body }) => {
          const returned = returns[body['function_selector'] as keyof typeof returns]
          if (returned !== null) return { json: { result: { result: true }, constant_result: [returned] } }
          return { json: { result: { result: true, message: '5245' }, constant_result: [''] } }
        })
        if (isTaken) await reader.verify()
        else await assert.rejects(reader.verify(), WrongNode)
      }))
  }

  for (const [name, answer, end] of calls) {
    test(`the call of a method brings ${name}`, () =>
      withFixture({}, 1, async ({ node, reader }) => {
        node.spoil(/triggerconstantcontract/, () => ({ json: answer }))
        await assert.rejects(reader.verify(), end)
      }))
  }

  /** Verifies while the first call of a path is never answered. */
  async function verifyHanging(path: RegExp, use: (fixture: TronFixture, firsts: () => number) => Promise<void>) {
    const { scheduler, endAll } = impatientScheduler()
    await withFixture({ scheduler }, 1, async (fixture) => {
      const { node, reader } = fixture
      const firsts = () => node.requests.filter(({ body }) => body['num'] === 0).length
      node.spoil(
        path,
        () => {
          setImmediate(endAll)
          return 'hanging'
        },
        1,
      )
      await assert.rejects(reader.verify(), NodeUnavailable)
      await use(fixture, firsts)
    })
  }

  test('a check of which one call is not answered goes on where it was, and the next one begins anew', () =>
    verifyHanging(/triggerconstantcontract/, async ({ reader }, firsts) => {
      assert.equal(firsts(), 2)
      await reader.verify()
      assert.equal(firsts(), 2)
      reader.distrust()
      await reader.verify()
      assert.equal(firsts(), 4)
    }))

  test('a check that is continued much later begins anew', () =>
    verifyHanging(/triggerconstantcontract/, async ({ reader, clock }, firsts) => {
      clock.advance(60_000)
      await reader.verify()
      assert.equal(firsts(), 4)
    }))

  test('a check that failed otherwise begins anew: the node may be another one by now', () =>
    withFixture({}, 1, async ({ node, reader }) => {
      node.spoil(/triggerconstantcontract/, () => ({ text: '', status: 500 }), 2)
      await assert.rejects(reader.verify(), NodeUnavailable)
      node.spoil(/^\/wallet\/getblockbynum$/, () => ({ json: { blockID: '1'.repeat(64) } }))
      await assert.rejects(reader.verify(), WrongNode)
    }))

  test('asks for the configured token, and says why a node did not find it', () =>
    withFixture({ token: 'TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj' }, 1, async ({ reader }) => {
      await assert.rejects(reader.verify(), (error) => error instanceof WrongNode && /is not exist/.test(error.message))
    }))

  for (const [name, answer] of [
    ['as java-tron says it', NOT_SERVED],
    ['as a proxy says it', { text: '<html>Not Found</html>', status: 404 }],
  ] as const) {
    test(`a node that serves the solidified side alone needs the address of its full port, ${name}`, () =>
      withFixture({}, 1, async ({ node, reader }) => {
        node.spoil(/^\/wallet\//, () => answer)
        await assert.rejects(reader.head(), /\/wallet\/getblockbynum: HTTP status 40.*full port as well/)
      }))
  }

  test('a full side is told by its head where it gives no single block', () =>
    withFixture({}, 1, async ({ node, reader }) => {
      node.spoil(/^\/wallet\/getblockbynum$/, () => NOT_SERVED)
      await reader.verify()
    }))

  test('a full side of another chain beside the right solidified one is wrong', () =>
    withFixture({}, 1, async ({ node, reader }) => {
      node.spoil(/^\/wallet\/getblockbynum$/, () => ({ json: { blockID: '1'.repeat(64) } }))
      await assert.rejects(reader.verify(), WrongNode)
    }))

  /** How nodes say that they make no constant calls, and the setting that the warning names. */
  const closed: readonly (readonly [name: string, answer: FaultyAnswer, setting: RegExp])[] = [
    ['as java-tron comes', { json: noConstantCalls() }, /vm\.supportConstant = true/],
    ['in an error', { json: { Error: 'this node does not support constant' } }, /vm\.supportConstant = true/],
    [
      'with a disabled API',
      { json: { Error: 'this API is unavailable due to config' }, status: 404 },
      /node\.disabledApi/,
    ],
    [
      'with a page',
      { text: '<html><body>405 Method Not Allowed</body></html>', status: 405 },
      /405 Method Not Allowed/,
    ],
  ]
  for (const [name, answer, setting] of closed) {
    test(`a node makes no constant calls, ${name}: the decimals are believed, and it says so once`, () =>
      withFixture({}, 1, async ({ node, reader, warnings }) => {
        node.spoil(/triggerconstantcontract/, () => answer)
        await reader.verify()
        await reader.verify()
        assert.equal(warnings.length, 1)
        assert.match(warnings[0] ?? '', /believed as configured/)
        assert.match(warnings[0] ?? '', setting)
      }))

    test(`a node makes no constant calls, ${name}, and its port serves one side alone: the words tell why`, () =>
      withFixture({}, 1, async ({ node, reader, warnings }) => {
        node.spoil(/^\/walletsolidity\//, () => NOT_SERVED)
        node.spoil(/triggerconstantcontract/, () => answer)
        await reader.verify()
        assert.match(warnings[0] ?? '', setting)
      }))

    test(`a node makes no constant calls, ${name}: what is no contract is wrong`, () =>
      withFixture({ token: emulatedAccount(1) }, 1, async ({ node, reader }) => {
        node.spoil(/triggerconstantcontract/, () => answer)
        await assert.rejects(reader.verify(), WrongNode)
      }))
  }

  test('a node that makes no constant calls and tells of no contract proves nothing of the token, and says so', () =>
    withFixture({}, 1, async ({ node, reader, warnings }) => {
      node.spoil(/triggerconstantcontract/, () => ({ json: noConstantCalls() }))
      node.spoil(/getcontract$/, () => NOT_SERVED)
      await reader.verify()
      assert.match(
        warnings[0] ?? '',
        /vm\.supportConstant.*that it is a contract is believed, too: \/wallet\/getcontract/,
      )
    }))

  test('the other side makes the same calls', () =>
    withFixture({ tokenDecimals: 18 }, 1, async ({ node, reader }) => {
      node.spoil(/^\/wallet\/triggerconstantcontract/, () => ({ text: '', status: 405 }))
      await assert.rejects(reader.verify(), /has 6 decimals, configured are 18/)
    }))

  test('tells the error that a node tells', () =>
    withFixture({}, 1, async ({ node, reader }) => {
      node.spoil(/./, () => ({ json: { Error: 'lack of computing resources' } }))
      await assert.rejects(reader.verify(), /lack of computing resources/)
    }))

  test('decimals other than configured are wrong', () =>
    withFixture({ tokenDecimals: 18 }, 1, ({ reader }) => assert.rejects(reader.verify(), WrongNode)))

  test('a node of another network is wrong, and never asked for blocks', () =>
    withFixture({ genesisId: '1'.repeat(64) }, 1, async ({ reader, node }) => {
      await assert.rejects(reader.verify(), WrongNode)
      await assert.rejects(reader.head(), NodeUnavailable)
      assert.deepEqual(new Set(node.requests.map(({ path }) => path)), new Set(['/walletsolidity/getblockbynum']))
    }))

  test('what a node of another chain called confirmed is forgotten once it is known to be wrong', () =>
    withFixture({}, 1, async ({ chain, node, reader, clock }) => {
      chain.produceEmpty(30)
      await reader.head()
      const other = new EmulatedTronChain()
      other.produceEmpty(100)
      node.view = other
      assert.equal((await reader.head()).confirmed, other.solidified)
      node.spoil(/./, () => ({ text: '', status: 500 }), 6)
      await assert.rejects(reader.head(), NodeUnavailable)
      clock.advance(60_000)
      await assert.rejects(reader.head(), NodeUnavailable)
      clock.advance(60_000)
      node.view = chain
      assert.equal((await reader.block(chain.latest, watched))?.hash, chain.blocks.at(-1)?.hash)
    }))

  test('one node that answers is enough, and one that is wrong is one too many', () =>
    withFixture({}, 2, async ({ nodes, reader, clock }) => {
      nodes[0]?.spoil(/./, () => ({ text: '', status: 500 }), 1)
      await reader.verify()
      clock.advance(60_000)
      nodes[0]?.spoil(/getblockbynum/, () => ({ json: { blockID: '1'.repeat(64) } }))
      await assert.rejects(reader.verify(), WrongNode)
    }))

  test('sends the key of an endpoint with every request, and tells nobody', async () => {
    await withFixture({}, 1, async ({ chain, clock }) => {
      const node = await openTronNode(chain, token, 'the-key-of-the-operator')
      const addresses = [{ url: `${node.url}/`, headers: { 'TRON-PRO-API-KEY': 'the-key-of-the-operator' } }]
      await withFixture({ addresses, clock, genesisId: chain.blocks[0]?.hash ?? '' }, 0, async ({ reader }) => {
        await reader.verify()
        await reader.head()
        await reader.block(0, watched)
        node.spoil(/./, () => ({ json: { Error: 'bad key the-key-of-the-operator' } }))
        await assert.rejects(
          reader.head(),
          (error) => error instanceof NodeUnavailable && !/operator/.test(error.message),
        )
      })
      await node.close()
    })
  })
})
