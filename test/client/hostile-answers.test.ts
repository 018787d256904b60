import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { Billhook, BillhookError, type BillhookOptions, identityFromPhrase, onboard, refusalOf } from '@billhook/client'
import { ANSWER_MAX_BYTES, NESTING_MAX } from '../../packages/client/src/answer.js'

const URL = 'https://pay.example'
const OWNER = 'an owner'
const PIECE = new Uint8Array(1024 * 1024).fill(0x20)
const PHRASE = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const LEDGER = {
  nodes: ['https://node.example'],
  namespace: 'n',
  contracts: { onboard: 'o', assignOwner: 'a' },
  onboardingName: 'shop',
}

/** An answer without end, which counts what was taken of it. */
function endless(status = 200): { readonly response: Response; readonly taken: () => number } {
  let bytes = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      bytes += PIECE.length
      controller.enqueue(PIECE)
    },
  })
  return { response: new Response(body, { status }), taken: () => bytes }
}

/** A client whose service gives one answer to everything. */
function answered(answer: () => Response, more: Partial<BillhookOptions> = {}) {
  let requests = 0
  const fetch = async () => {
    requests += 1
    return answer()
  }
  return {
    billhook: new Billhook({ url: URL, owner: OWNER, fetch, retryDelayMs: 1, ...more }),
    requests: () => requests,
  }
}

const json = (body: unknown) => () => new Response(typeof body === 'string' ? body : JSON.stringify(body))

async function firstOf(list: AsyncIterable<unknown>): Promise<unknown> {
  for await (const record of list) return record
  return undefined
}

function isUnexpected(told: RegExp) {
  return (error: unknown) =>
    error instanceof BillhookError && error.code === 'unexpected_answer' && told.test(error.message)
}

describe('an answer without end', () => {
  test('is read up to the limit, and not asked for again', async () => {
    const { response, taken } = endless()
    const { billhook, requests } = answered(() => response)
    await assert.rejects(billhook.getInfo(), isUnexpected(/is larger than 67108864 bytes\.$/))
    assert.equal(requests(), 1)
    // A stream reads a piece ahead.
    assert.ok(taken() <= ANSWER_MAX_BYTES + 3 * PIECE.length, `${taken()} bytes`)
  })

  test('is a refusal that says so', async () => {
    const refusal = await refusalOf(endless(500).response, URL)
    assert.equal(refusal?.code, 'unexpected_answer')
    assert.equal(refusal?.status, 500)
  })

  test('is one that was too long also where a platform has no streams', async () => {
    const whole = { status: 200, headers: new Headers(), text: async () => ' '.repeat(ANSWER_MAX_BYTES + 1) }
    const { billhook } = answered(() => whole as unknown as Response)
    await assert.rejects(billhook.getInfo(), isUnexpected(/is larger than/))
  })

  test('of a ledger node leaves open what became of the transaction', async () => {
    const fetch = async () => endless().response
    const work = onboard({ ...LEDGER, fetch }, await identityFromPhrase(PHRASE), { settleMs: 0 })
    await assert.rejects(work, { code: 'ledger_uncertain' })
  })
})

test('an answer that drips ends with the time of the request', async (t) => {
  const dripping = new Set<ServerResponse>()
  const server = createServer((_request, response) => {
    dripping.add(response.on('close', () => dripping.delete(response)))
    response.write('{"networks":[')
  }).listen(0, '127.0.0.1')
  const drops = setInterval(() => {
    for (const response of dripping) response.write(' ')
  }, 5)
  t.after(async () => {
    clearInterval(drops)
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const billhook = new Billhook({ url, timeoutMs: 200, attempts: 1 })
  await assert.rejects(billhook.getInfo(), { code: 'unreachable', message: `${url} gave no answer within 200 ms.` })
})

describe('an answer of another form', () => {
  const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`

  test(`is read as deep as ${NESTING_MAX} levels, and refused beyond`, async () => {
    await answered(json(nested(NESTING_MAX))).billhook.getInfo()
    for (const levels of [NESTING_MAX + 2, 400_000]) {
      await assert.rejects(answered(json(nested(levels))).billhook.getInfo(), isUnexpected(/nested more than 100 deep/))
    }
  })

  test('is no refusal that could take the stack', async () => {
    const supported = `${'['.repeat(400_000)}${']'.repeat(400_000)}`
    const body = `{"error":"No.","code":"unsupported_currency","supported":[${supported},"USDT"]}`
    const refusal = await refusalOf(new Response(body, { status: 400 }), URL)
    assert.deepEqual(refusal?.supported, ['USDT'])
  })

  for (const [what, ask, answers] of [
    ['whether an identity exists', (shop: Billhook) => shop.identityExists(), [[null], {}, { exists: 'no' }]],
    ['an invoice', (shop: Billhook) => shop.getInvoice('i'), [[], [{}]]],
    ['wallets', (shop: Billhook) => shop.listWallets(), [{}, [null], ['w'], [[], 1]]],
    ['API keys', (shop: Billhook) => shop.listApiKeys(), [{}, [1]]],
    ['a list of invoices', (shop: Billhook) => firstOf(shop.listInvoices()), [{}, [null], [{}, 'i']]],
    ['events', (shop: Billhook) => firstOf(shop.listEvents()), [{ 0: {} }, [false]]],
  ] as const) {
    test(`is no answer: ${what}`, async () => {
      for (const answer of answers) {
        const { billhook, requests } = answered(json(answer))
        await assert.rejects(ask(billhook), isUnexpected(/./), JSON.stringify(answer))
        assert.equal(requests(), 1)
      }
    })
  }

  test('is a page of a list that leads back to itself', async () => {
    const headers = { link: `</api/users/o/invoices?cursor=c>; rel="next"` }
    const { billhook, requests } = answered(() => new Response('[{}]', { headers }))
    const readAll = async () => {
      for await (const invoice of billhook.listInvoices()) assert.ok(invoice)
    }
    await assert.rejects(readAll(), isUnexpected(/names a page of a list as its own next one/))
    assert.equal(requests(), 2)
  })
})
