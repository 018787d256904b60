import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type FaultyAnswer, NOT_SERVED } from '../../support/tron-node.js'
import { contractCall, emulatedAccount, trxTransfer } from '../../support/tron-transactions.js'
import { STRANGER, TOKEN, TronFixture } from './fixture.js'

const LITE = 'this API is closed because this node is a lite fullnode'
const DISABLED: FaultyAnswer = { json: { Error: 'this API is unavailable due to config' }, status: 404 }
const CALL = 30

describe('the examination of a TRON node', () => {
  let fixture: TronFixture

  beforeEach(async () => {
    fixture = await TronFixture.open(1)
    fixture.chain.produceEmpty(CALL - 1)
    fixture.chain.produce(contractCall(emulatedAccount(1), [], []), trxTransfer(STRANGER, 1n))
    fixture.chain.produceEmpty(90)
    fixture.now()
  })
  afterEach(() => fixture.close())

  async function facts(): Promise<readonly string[]> {
    const [node] = await fixture.reader.examine()
    return node?.facts.map(({ verdict, text }) => `${verdict}: ${text}`) ?? []
  }

  test('tells all that a sound node offers', async () => {
    assert.deepEqual(await facts(), [
      'ok: has the first block of this network, and its token calls itself USDT with 6 decimals',
      'ok: is at block 120, which is 0 s old, and confirmed up to 102',
      'ok: gives solidified blocks by an interface of their own: the newest is block 102, 18 blocks behind its head and 54 s old',
      'ok: gives 20 blocks for one question',
      `ok: returns the transaction infos of block ${CALL}, which has calls of contracts`,
      'ok: returns the transaction infos of new blocks, too',
    ])
  })

  /** What a node lacks, the paths that do not work and their answer, and what is said of it. */
  const lacks: readonly (readonly [name: string, path: RegExp, answer: FaultyAnswer, facts: readonly RegExp[]])[] = [
    [
      'the solidified side',
      /^\/walletsolidity\//,
      NOT_SERVED,
      [
        /^ok: serves no \/walletsolidity here: \/wallet\/getnodeinfo says/,
        /^ok: returns the transaction infos of block 30/,
      ],
    ],
    [
      'ranges of blocks',
      /getblockbylimitnext/,
      DISABLED,
      [/^warning: does not give 20 blocks for one question, and each block is asked for by itself.*node\.disabledApi/],
    ],
    [
      'infos of whole blocks',
      /gettransactioninfobyblocknum/,
      DISABLED,
      [/^warning: does not return the transaction infos of block 30.* at once.*many more calls.*node\.disabledApi/],
    ],
    [
      'infos altogether',
      /gettransactioninfoby/,
      DISABLED,
      [/^failed: .*NO payment is seen.*node\.disabledApi/, /^warning: .*new blocks.*a minute later/],
    ],
    [
      'infos of new blocks',
      /^\/wallet\/gettransactioninfoby/,
      NOT_SERVED,
      [/^ok: returns the transaction infos of block 30/, /^warning: .*new blocks.*a minute later.*405/],
    ],
    [
      'a history of transactions',
      /gettransactioninfobyblocknum/,
      { json: [] },
      [/^warning: does not return the transaction infos of block 30.*no infos of 1 transactions/],
    ],
    [
      'constant calls',
      /triggerconstantcontract/,
      {
        json: {
          result: { code: 'OTHER', message: Buffer.from('this node does not support constant').toString('hex') },
        },
      },
      [/^warning: has the first block.*6 decimals is believed as configured, not read.*vm\.supportConstant = true/],
    ],
    [
      'everything that a lite node closes',
      /getblockby|getblocknum|gettransaction/,
      { text: LITE },
      [/^failed: fails: .*lite fullnode: set node\.openHistoryQueryWhenLiteFN = true/],
    ],
    ['new blocks', /./, { json: {} }, [/^failed: /]],
  ]
  for (const [name, path, answer, expected] of lacks) {
    test(`says what it means that a node lacks ${name}`, async () => {
      fixture.node.spoil(path, () => answer)
      const found = await facts()
      for (const fact of expected) assert.equal(found.filter((one) => fact.test(one)).length, 1, found.join('\n'))
    })
  }

  test('goes on when the node ends the call of the symbol for its time', async () => {
    const message = Buffer.from("class Program$OutOfTimeException : CPU timeout for 'PUSH2'").toString('hex')
    fixture.node.spoil(/triggerconstantcontract/, (answer, { body }) => ({
      json: body['function_selector'] === 'symbol()' ? { result: { code: 'OTHER_ERROR', message } } : answer,
    }))
    const found = await facts()
    assert.match(found[0] ?? '', /^ok: .*its token has no readable symbol with 6 decimals/)
    assert.equal(found.length, 6)
  })

  test('does not send an operator to the firewall for what a lite node lacks', async () => {
    fixture.node.spoil(/getblockby/, () => ({ text: LITE }))
    const [node] = await fixture.reader.examine()
    assert.match(node?.facts[0]?.advice ?? '', /Change its configuration as it says/)
  })

  test('names both settings of a node that keeps no history of transactions', async () => {
    fixture.node.spoil(/gettransactioninfobyblocknum/, () => ({ json: [] }))
    fixture.node.spoil(/gettransactioninfobyid/, () => ({ json: {} }))
    const found = await facts()
    assert.match(found.join('\n'), /failed: .*NO payment is seen.*storage\.transHistory\.switch = "on"/)
  })

  for (const [name, path] of [
    ['that come together', /^$/],
    ['that come alone', /getblockbylimitnext/],
  ] as const) {
    test(`judges a node that keeps no history any more by the newest call, among blocks ${name}`, async () => {
      const call = fixture.chain.produce(contractCall(emulatedAccount(1), [], []))
      fixture.chain.produceEmpty(25)
      fixture.now()
      fixture.node.spoil(path, () => DISABLED)
      fixture.node.spoil(/gettransactioninfobyblocknum/, (answer, { body }) => ({
        json: Number(body['num']) < call.height ? answer : [],
      }))
      fixture.node.spoil(/gettransactioninfobyid/, () => ({ json: {} }))
      const found = await facts()
      assert.match(
        found.join('\n'),
        new RegExp(`failed: does not return the transaction infos of block ${call.height}`),
      )
    })
  }

  test('says that it found no block to judge by, and never that all is well then', async () => {
    fixture.chain.produceEmpty(600)
    fixture.now()
    const found = await facts()
    assert.match(found.at(-1) ?? '', /^warning: has no call of a contract in its last 400 blocks.*not known whether/)
  })

  test('looks for calls one block at a time where a node gives no more, and ends', async () => {
    fixture.node.spoil(/getblockbylimitnext/, () => NOT_SERVED)
    const found = await facts()
    assert.equal(
      found.filter((fact) => /not known whether|returns the transaction infos of block 30/.test(fact)).length,
      1,
    )
    assert.ok(fixture.node.requests.length < 60)
  })

  test('says how old the newest block is, and does not call it well', async () => {
    fixture.clock.advance(3 * 365 * 24 * 3_600_000)
    const [, head, solid] = await facts()
    assert.match(head ?? '', /^failed: is at block 120, which is 94608000 s old/)
    assert.match(solid ?? '', /^failed: gives solidified blocks.*: the newest is block 102.* and 94608054 s old/)
  })

  test('reads with the token that is configured', async () => {
    await fixture.reader.examine()
    const call = fixture.node.requests.find(({ path }) => path.endsWith('triggerconstantcontract'))
    assert.equal(call?.body['contract_address'], `41${TOKEN}`)
  })
})
