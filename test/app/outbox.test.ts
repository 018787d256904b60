import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BillhookError } from '@billhook/client'
import {
  type Creation,
  isUndecided,
  mayRepeat,
  Outbox,
  type OutboxPlace,
  type Pending,
  REPEATED_FOR_MS,
  type Sender,
} from '../../packages/app/src/invoices/outbox.js'

const TEA: Creation = {
  kind: 'invoice',
  draft: { walletIds: ['w'], name: 'Tea', amount: '25.00', currency: 'USDT' },
}
const AWAY = new BillhookError('no answer', 'unreachable')
const REFUSED = new BillhookError('in use', 'amount_in_use', { status: 409 })

/** What a browser keeps, also when the app is opened again. */
function memoryPlace(): OutboxPlace & { readonly stored: Map<string, Pending> } {
  const stored = new Map<string, Pending>()
  return {
    stored,
    all: async () => [...stored.values()],
    put: async (pending) => void stored.set(pending.key, pending),
    delete: async (key) => void stored.delete(key),
  }
}

/** A service that may lose its answers, and creates once for each idempotency key. */
class Service implements Sender {
  readonly created = new Map<string, string>()
  readonly keys: string[] = []
  /** What each request meets, in order; then answers arrive. */
  meets: ('lost on the way' | 'answer lost' | 'refused')[] = []
  constructor(
    readonly owner = 'shop',
    readonly signedBy: string | null = null,
  ) {}

  async send(_creation: Creation, key: string) {
    this.keys.push(key)
    const met = this.meets.shift()
    if (met === 'lost on the way') throw AWAY
    if (met === 'refused') throw REFUSED
    const id = this.created.get(key) ?? `invoice ${this.created.size + 1}`
    this.created.set(key, id)
    if (met === 'answer lost') throw AWAY
    return { id }
  }
}

function outboxAt(place: OutboxPlace, time: { now: number } = { now: 0 }) {
  let last = 0
  return new Outbox(
    place,
    () => time.now,
    () => `key ${++last}`,
  )
}

describe('the outbox', () => {
  test('keeps a draft before it is sent, and nothing behind the answer', async () => {
    const place = memoryPlace()
    const service = new Service()
    let during = 0
    const sender: Sender = {
      owner: 'shop',
      signedBy: null,
      send: (creation, key) => {
        during = place.stored.size
        return service.send(creation, key)
      },
    }
    assert.equal((await outboxAt(place).create(TEA, sender)).id, 'invoice 1')
    assert.deepEqual([during, place.stored.size], [1, 0])
  })

  for (const met of ['lost on the way', 'answer lost'] as const) {
    test(`creates one invoice when a request was ${met}, also after the app was closed`, async () => {
      const place = memoryPlace()
      const service = new Service()
      service.meets = [met]
      await assert.rejects(outboxAt(place).create(TEA, service), AWAY)
      assert.equal(place.stored.size, 1)
      const { created } = await outboxAt(place).resume(service)
      assert.deepEqual(
        created.map(({ id }) => id),
        ['invoice 1'],
      )
      assert.deepEqual([service.created.size, place.stored.size, new Set(service.keys).size], [1, 0, 1])
    })
  }

  test('keeps nothing that was refused, and says so', async () => {
    const place = memoryPlace()
    const service = new Service()
    service.meets = ['refused']
    await assert.rejects(outboxAt(place).create(TEA, service), REFUSED)
    assert.equal(place.stored.size, 0)
    service.meets = ['lost on the way', 'refused']
    await assert.rejects(outboxAt(place).create(TEA, service), AWAY)
    const { refused } = await outboxAt(place).resume(service)
    assert.deepEqual([refused[0]?.error, place.stored.size], [REFUSED, 0])
  })

  test('sends nothing again that another signer has sent, that is of another owner, or that is too old', async () => {
    const place = memoryPlace()
    const time = { now: 0 }
    const first = new Service('shop', '02aa')
    first.meets = ['answer lost']
    await assert.rejects(outboxAt(place, time).create(TEA, first), AWAY)
    const others = [new Service('shop', null), new Service('shop', '02bb'), new Service('other', '02aa')]
    for (const other of others) {
      await outboxAt(place, time).resume(other)
      assert.equal(other.keys.length, 0)
    }
    time.now = REPEATED_FOR_MS
    await outboxAt(place, time).resume(first)
    assert.equal(first.keys.length, 1)
    assert.equal((await outboxAt(place, time).pending('shop')).length, 1)
  })

  test('does not send again what is on its way', async () => {
    const place = memoryPlace()
    let arrive: (created: { id: string }) => void = () => undefined
    const sent: string[] = []
    const sender: Sender = {
      owner: 'shop',
      signedBy: null,
      send: (_creation, key) => {
        sent.push(key)
        return new Promise((resolve) => {
          arrive = resolve
        })
      },
    }
    const outbox = outboxAt(place)
    const creating = outbox.create(TEA, sender)
    await new Promise(setImmediate)
    await outbox.resume(sender)
    assert.equal(sent.length, 1)
    arrive({ id: 'invoice' })
    assert.equal((await creating).id, 'invoice')
  })

  test('waits with the others when one finds nobody', async () => {
    const place = memoryPlace()
    const service = new Service()
    const outbox = outboxAt(place)
    service.meets = ['lost on the way', 'lost on the way', 'lost on the way']
    await assert.rejects(outbox.create(TEA, service), AWAY)
    await assert.rejects(outbox.create(TEA, service), AWAY)
    await outbox.resume(service)
    assert.deepEqual([service.keys.length, place.stored.size], [3, 2])
  })
})

describe('a failure of a creation', () => {
  for (const [code, status, undecided] of [
    ['unreachable', undefined, true],
    ['unexpected_answer', 502, true],
    ['idempotency_in_progress', 409, true],
    ['overloaded', 503, true],
    ['rate_limited', 429, true],
    ['internal', 500, true],
    ['amount_in_use', 409, false],
    ['unknown_api_key', 401, false],
    ['idempotency_key_reused', 422, false],
    ['invalid_invoice', 400, false],
  ] as const) {
    test(`${code} ${undecided ? 'leaves open' : 'decides'} what became of it`, () => {
      assert.equal(isUndecided(new BillhookError('', code, { status })), undecided)
    })
  }

  test('of the program itself decides, and an app that was locked does not', () => {
    assert.equal(isUndecided(new TypeError('unknown field')), false)
    assert.equal(isUndecided(new Error('the app was locked')), true)
  })

  test('is repeated by the same signer within the time of the service', () => {
    const sent = { signedBy: '02aa', at: 0 }
    assert.deepEqual(
      [
        mayRepeat(sent, { signedBy: '02aa' }, REPEATED_FOR_MS - 1),
        mayRepeat(sent, { signedBy: '02aa' }, REPEATED_FOR_MS),
        mayRepeat(sent, { signedBy: null }, 1),
        // The clock was set back a little, or so far that nobody knows how old it is.
        mayRepeat(sent, { signedBy: '02aa' }, -3_599_999),
        mayRepeat(sent, { signedBy: '02aa' }, -3_600_000),
      ],
      [true, false, false, true, false],
    )
  })
})
