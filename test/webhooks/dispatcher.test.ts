import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { createLog } from '../../src/log.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import { Dispatcher, type DispatcherOptions } from '../../src/webhooks/dispatcher.js'
import { deferred } from '../support/deferred.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { throwIt } from '../support/throw-it.js'
import { CONCURRENCY, DELIVERED, HoldingSender, idle, MODEL_SECRET, OutboxModel, TIMED_OUT } from './outbox-model.js'

function setup(options: Partial<DispatcherOptions> = {}) {
  const model = new OutboxModel()
  const sender = new HoldingSender()
  const lines: string[] = []
  const dispatcher = new Dispatcher({
    outbox: model.outbox,
    webhooks: model.webhooks,
    sender,
    clock: new ManualClock(),
    log: createLog('info', { write: (line) => lines.push(line) }),
    onWrongTransition: throwIt,
    ...CONCURRENCY,
    ...options,
  })
  return { model, sender, dispatcher, lines }
}

/** Replaces one operation of a model's store. */
function overriding(model: OutboxModel, change: Partial<DispatcherOptions['outbox']>): DispatcherOptions['outbox'] {
  return { ...model.outbox, ...change }
}

function full() {
  return new StorageUnavailable(new Error('no space left on device'))
}

describe('the order of deliveries', () => {
  test('one of an invoice starts only when the one before it is recorded, others pass it by', async () => {
    const { model, sender, dispatcher } = setup()
    await dispatcher.start()
    const pending = model.owe('owner', 'shop', 'invoice')
    dispatcher.notify([pending])
    await sender.began(1)
    const confirmed = model.owe('owner', 'shop', 'invoice')
    const more = [1, 2, 3, 4, 5].map(() => model.owe('owner', 'shop', 'invoice'))
    const other = model.owe('owner', 'shop', 'another invoice')
    dispatcher.notify([confirmed, other])
    await sender.began(2)
    assert.deepEqual(sender.ids, [pending.id, other.id])
    sender.of(other.id).end()
    sender.of(pending.id).end()
    await sender.began(3)
    assert.deepEqual(sender.ids, [pending.id, other.id, confirmed.id])
    assert.equal(model.get(pending.id).state, 'settled')
    sender.of(confirmed.id).end()
    for (const [i, { id }] of more.entries()) {
      await sender.began(4 + i)
      sender.of(id).end()
    }
    await idle(dispatcher)
    assert.equal(dispatcher.laneCount, 0)
  })

  test('one that is queued behind more of its own invoice than are looked at still comes', async () => {
    const { model, sender, dispatcher } = setup()
    const owed = [
      ...Array.from({ length: 40 }, () => model.owe('owner', 'shop', 'busy invoice')),
      model.owe('owner', 'shop', 'another invoice'),
    ]
    await dispatcher.start()
    for (let i = 1; i <= owed.length; i += 1) {
      await sender.began(i)
      sender.begun[i - 1]?.end()
    }
    await idle(dispatcher)
    assert.deepEqual([...sender.ids].sort(), owed.map(({ id }) => id).sort())
  })
})

describe('the states of a dispatcher', () => {
  test('a second start is a defect, and settles nothing that is under way', async () => {
    const { model, sender, dispatcher } = setup()
    await dispatcher.start()
    const owed = model.owe('owner', 'shop')
    dispatcher.notify([owed])
    await sender.began(1)
    await assert.rejects(dispatcher.start(), { message: 'a dispatcher that is running cannot become starting' })
    assert.equal(model.get(owed.id).state, 'attempted')
    sender.of(owed.id).end()
    await idle(dispatcher)
  })

  test('so is one beside the first', async () => {
    const { dispatcher } = setup()
    const first = dispatcher.start()
    await assert.rejects(dispatcher.start(), { message: 'a dispatcher that is starting cannot become starting' })
    await first
    await dispatcher.stop()
  })

  test('a service logs the defect once, and goes on sending', async () => {
    const lines: string[] = []
    const log = createLog('info', { write: (line) => lines.push(line) })
    const model = new OutboxModel()
    const sender = new HoldingSender()
    const { outbox, webhooks } = model
    const dispatcher = new Dispatcher({ outbox, webhooks, sender, clock: new ManualClock(), log, ...CONCURRENCY })
    await dispatcher.start()
    const owed = model.owe('owner', 'shop')
    dispatcher.notify([owed])
    await sender.began(1)
    await dispatcher.start()
    await dispatcher.start()
    assert.equal(lines.filter((line) => line.includes('webhooks go on after a defect of this program')).length, 1)
    assert.equal(model.get(owed.id).state, 'attempted')
    sender.of(owed.id).end()
    await idle(dispatcher)
    assert.deepEqual(model.get(owed.id).result, DELIVERED)
  })

  test('one that stops while it starts sends nothing', async () => {
    const { model, sender, dispatcher } = setup()
    model.owe('owner', 'shop')
    const started = dispatcher.start()
    await dispatcher.stop()
    await started
    await dispatcher.stop()
    await dispatcher.start()
    assert.deepEqual(sender.ids, [])
  })
})

describe('a start on a full disk', () => {
  test('begins with what is queued when the disk takes writes again', async () => {
    const model = new OutboxModel()
    const scheduler = new ManualScheduler()
    let isFull = true
    const outbox = overriding(model, {
      settleInterrupted: (retry) => (isFull ? Promise.reject(full()) : model.outbox.settleInterrupted(retry)),
    })
    const { sender, dispatcher } = setup({ outbox, scheduler })
    const owed = model.owe('owner', 'shop')
    await dispatcher.start()
    scheduler.pass(1000)
    await nextTurnOfLoop()
    assert.equal(sender.begun.length, 0)
    isFull = false
    scheduler.pass(1000)
    await sender.began(1)
    sender.of(owed.id).end()
    await idle(dispatcher)
    assert.equal(model.get(owed.id).state, 'settled')
  })
})

describe('bounds', () => {
  test('no destination has more attempts under way than it may', async () => {
    const { model, sender, dispatcher } = setup({ concurrencyPerDestination: 3 })
    for (let i = 0; i < 50; i += 1) model.owe('owner', 'shop')
    await dispatcher.start()
    for (let i = 0; i < 50; i += 1) {
      await sender.began(i + 1)
      // Until the last of them the destination is used as far as it may be: the next one ends only then.
      if (i >= 5 && i < 40) await sender.until(() => sender.underWay === 3)
      sender.begun[i]?.end()
    }
    await idle(dispatcher)
    assert.equal(sender.peak, 3)
    assert.equal(sender.begun.length, 50)
  })

  test('there are never more attempts under way than places', async () => {
    const { model, sender, dispatcher } = setup({ concurrency: 8, concurrencyPerDestination: 2 })
    for (let i = 0; i < 60; i += 1) model.owe(`owner ${i % 12}`, `shop-${i % 12}`)
    await dispatcher.start()
    // Each receiver is new once, and prompt from then on.
    for (let i = 0; i < 12; i += 1) {
      await sender.began(i + 1)
      sender.begun[i]?.end()
    }
    for (let i = 12; i < 60; i += 1) {
      await sender.until(() => sender.underWay === Math.min(6, 60 - i))
      sender.begun[i]?.end()
    }
    await idle(dispatcher)
    assert.ok(sender.peak <= 8)
    assert.equal(new Set(sender.ids).size, 60)
  })

  test('an owner with many destinations leaves places to the others, and gets to every destination', async () => {
    const { model, sender, dispatcher } = setup({ concurrency: 32, concurrencyPerDestination: 2 })
    for (let i = 0; i < 100; i += 1) model.owe('many', `many-${i}`)
    await dispatcher.start()
    // Half of the four places for receivers of which nothing is known.
    await sender.began(2)
    const few = Array.from({ length: 20 }, (_, i) => model.owe(`few ${i}`, `few-${i}`))
    dispatcher.notify(few)
    await sender.began(4)
    assert.equal(sender.begun.filter(({ host }) => host.startsWith('many')).length, 2)
    for (let i = 0; i < 120; i += 1) {
      await sender.began(i + 1)
      sender.begun[i]?.end()
      const many = sender.begun.slice(i + 1).filter(({ host }) => host.startsWith('many'))
      assert.ok(many.length <= 2)
    }
    await idle(dispatcher)
    assert.equal(new Set(sender.begun.map(({ host }) => host)).size, 120)
  })

  test('memory holds what is under way, not what is queued', async () => {
    let most = 0
    const model = new OutboxModel()
    const { sender, dispatcher } = setup({
      concurrencyPerDestination: 4,
      outbox: overriding(model, {
        queued: (lane, after, limit) => {
          most = Math.max(most, limit)
          return model.outbox.queued(lane, after, limit)
        },
      }),
    })
    for (let i = 0; i < 500; i += 1) model.owe('owner', 'shop')
    await dispatcher.start()
    for (let i = 0; i < 500; i += 1) {
      await sender.began(i + 1)
      sender.begun[i]?.end()
    }
    await idle(dispatcher)
    assert.ok(most <= 16, `${most} rows were read at once`)
  })
})

describe('a receiver that hangs', () => {
  test('holds a single place once it has been seen to hang, until it answers again', async () => {
    const { model, sender, dispatcher } = setup({ concurrencyPerDestination: 8 })
    for (let i = 0; i < 40; i += 1) model.owe('owner', 'shop')
    await dispatcher.start()
    await sender.began(2)
    sender.begun[0]?.end(TIMED_OUT)
    sender.begun[1]?.end(TIMED_OUT)
    for (let i = 2; i < 10; i += 1) {
      await sender.began(i + 1)
      assert.equal(sender.underWay, 1)
      sender.begun[i]?.end(TIMED_OUT)
    }
    await sender.began(11)
    sender.begun[10]?.end(DELIVERED)
    await sender.until(() => sender.underWay === 2)
    const stopped = dispatcher.stop()
    for (const attempt of sender.begun) attempt.end()
    await stopped
  })
})

describe('stopping', () => {
  test('waits until what is under way is recorded and begins nothing more', async () => {
    const { model, sender, dispatcher } = setup({ concurrencyPerDestination: 1 })
    const first = model.owe('owner', 'shop')
    const second = model.owe('owner', 'shop')
    await dispatcher.start()
    await sender.began(1)
    let isStopped = false
    const stopped = dispatcher.stop().then(() => {
      isStopped = true
    })
    dispatcher.notify([model.owe('owner', 'another shop')])
    assert.equal(isStopped, false)
    sender.of(first.id).end()
    await stopped
    assert.equal(model.get(first.id).state, 'settled')
    assert.equal(model.get(second.id).state, 'queued')
    assert.equal(sender.begun.length, 1)
  })

  test('sends what the store is just marking, and leaves queued what it does not mark yet', async () => {
    const model = new OutboxModel()
    const held = deferred<void>()
    const marked: string[] = []
    const { sender, dispatcher } = setup({
      outbox: overriding(model, {
        markAttempted: async (id) => {
          marked.push(id)
          await held.promise
          return model.outbox.markAttempted(id)
        },
      }),
      webhooks: {
        secrets: async (owner) => {
          if (owner === 'other') await held.promise
          return model.webhooks.secrets(owner)
        },
      },
    })
    const first = model.owe('owner', 'shop')
    await dispatcher.start()
    while (marked.length === 0) await nextTurnOfLoop()
    const second = model.owe('other', 'other')
    dispatcher.notify([second])
    const stopped = dispatcher.stop()
    held.resolve()
    await sender.began(1)
    sender.of(first.id).end()
    await stopped
    assert.deepEqual(marked, [first.id])
    assert.equal(model.get(first.id).state, 'settled')
    assert.equal(model.get(second.id).state, 'queued')
  })
})

describe('a store that fails', () => {
  test('means that nothing is sent until it works again, and then once', async () => {
    for (const operation of ['queued', 'secrets', 'markAttempted'] as const) {
      const model = new OutboxModel()
      let failures = 2
      const fail = () => {
        if (failures === 0) return
        failures -= 1
        throw full()
      }
      const { sender, dispatcher } = setup({
        outbox: overriding(model, {
          queued: async (...args) => {
            if (operation === 'queued') fail()
            return model.outbox.queued(...args)
          },
          markAttempted: async (...args) => {
            if (operation === 'markAttempted') fail()
            return model.outbox.markAttempted(...args)
          },
        }),
        webhooks: {
          secrets: async (...args) => {
            if (operation === 'secrets') fail()
            return model.webhooks.secrets(...args)
          },
        },
      })
      const owed = model.owe('owner', 'shop')
      await dispatcher.start()
      await sender.began(1)
      assert.equal(failures, 0)
      assert.equal(model.get(owed.id).state, 'attempted')
      sender.of(owed.id).end()
      await idle(dispatcher)
      assert.deepEqual(sender.ids, [owed.id])
    }
  })

  test('is left alone for a while, however much is queued', async () => {
    const model = new OutboxModel()
    let marks = 0
    const { sender, dispatcher } = setup({
      outbox: overriding(model, {
        markAttempted: async () => {
          marks += 1
          throw full()
        },
      }),
    })
    for (let i = 0; i < 1000; i += 1) model.owe('owner', 'shop')
    await dispatcher.start()
    // Far less time than a pause; without pauses each turn of the loop would bring another mark.
    for (let turns = 0; turns < 200; turns += 1) await nextTurnOfLoop()
    assert.ok(marks >= 1 && marks <= 20, `${marks} marks`)
    await dispatcher.stop()
    assert.equal(sender.begun.length, 0)
  })

  /** A lane with one attempt sent, one at the mark, and `more` queued; the mark fails when the test says so. */
  async function halfMarked(
    more: number,
    change: (model: OutboxModel) => Partial<DispatcherOptions['outbox']> = () => ({}),
  ) {
    const model = new OutboxModel()
    const owed = Array.from({ length: 2 + more }, () => model.owe('owner', 'shop'))
    const [first, second] = owed.map(({ id }) => id)
    assert.ok(first !== undefined && second !== undefined)
    const failing = deferred<never>()
    const marked: string[] = []
    const parts = setup({
      concurrencyPerDestination: 2,
      outbox: overriding(model, {
        markAttempted: async (id) => {
          marked.push(id)
          return id === second ? failing.promise : model.outbox.markAttempted(id)
        },
        ...change(model),
      }),
    })
    await parts.dispatcher.start()
    await parts.sender.began(1)
    while (!marked.includes(second)) await nextTurnOfLoop()
    const end = async () => {
      const stopped = parts.dispatcher.stop()
      for (const attempt of parts.sender.begun) attempt.end()
      await stopped
    }
    return { ...parts, model, first, second, failing, marked, end }
  }

  test('pauses also a lane that waits for its turn', async () => {
    const isReading = deferred<void>()
    const read = deferred<void>()
    const { model, sender, dispatcher, first, second, failing, marked, end } = await halfMarked(3, (model) => ({
      queued: async (lane, ...args) => {
        const rows = await model.outbox.queued(lane, ...args)
        if (lane === 'other') {
          isReading.resolve()
          await read.promise
        }
        return rows
      },
    }))
    // It is another lane's turn as long as its rows are being read.
    const other = model.owe('other', 'other')
    dispatcher.notify([other])
    await isReading.promise
    sender.of(first).end()
    while (model.get(first).state !== 'settled') await nextTurnOfLoop()
    failing.reject(full())
    for (let turns = 0; turns < 5; turns += 1) await nextTurnOfLoop()
    read.resolve()
    for (let turns = 0; turns < 20; turns += 1) await nextTurnOfLoop()
    assert.deepEqual(marked, [first, second, other.id])
    await end()
  })

  test('pauses also a lane that is being read', async () => {
    let isHeld = false
    const isReading = deferred<void>()
    const read = deferred<void>()
    const { model, sender, dispatcher, first, second, failing, marked, end } = await halfMarked(0, (model) => ({
      queued: async (...args) => {
        const rows = await model.outbox.queued(...args)
        if (isHeld) {
          isReading.resolve()
          await read.promise
        }
        return rows
      },
    }))
    isHeld = true
    dispatcher.notify([model.owe('owner', 'shop')])
    sender.of(first).end()
    await isReading.promise
    failing.reject(full())
    for (let turns = 0; turns < 5; turns += 1) await nextTurnOfLoop()
    read.resolve()
    for (let turns = 0; turns < 20; turns += 1) await nextTurnOfLoop()
    assert.deepEqual(marked, [first, second])
    await end()
  })

  test('records the outcome when it works again; the delivery is not repeated', async () => {
    const model = new OutboxModel()
    let failures = 2
    const { sender, dispatcher } = setup({
      outbox: overriding(model, {
        recordResult: async (...args) => {
          if (failures > 0) {
            failures -= 1
            throw full()
          }
          return model.outbox.recordResult(...args)
        },
      }),
    })
    const owed = model.owe('owner', 'shop')
    await dispatcher.start()
    await sender.began(1)
    sender.of(owed.id).end()
    await idle(dispatcher)
    assert.deepEqual(model.get(owed.id).result, DELIVERED)
    assert.equal(sender.begun.length, 1)
  })

  test('does not keep the dispatcher from stopping', async () => {
    const model = new OutboxModel()
    let tried: () => void = () => {}
    const hasTried = new Promise<void>((resolve) => {
      tried = resolve
    })
    const { sender, dispatcher } = setup({
      outbox: overriding(model, {
        recordResult: async () => {
          tried()
          throw full()
        },
      }),
    })
    const owed = model.owe('owner', 'shop')
    await dispatcher.start()
    await sender.began(1)
    sender.of(owed.id).end()
    await hasTried
    await dispatcher.stop()
    assert.equal(model.get(owed.id).state, 'attempted')
  })
})

describe('what must not happen', () => {
  test('a delivery that somebody else has marked is not sent', async () => {
    const model = new OutboxModel()
    const { sender, dispatcher } = setup({
      outbox: overriding(model, { markAttempted: async () => false }),
    })
    model.owe('owner', 'shop')
    await dispatcher.start()
    await idle(dispatcher)
    assert.equal(sender.begun.length, 0)
  })

  test('nothing is attempted before what was interrupted is settled', async () => {
    const { model, sender, dispatcher } = setup()
    const owed = model.owe('owner', 'shop')
    dispatcher.notify([owed])
    for (let turns = 0; turns < 10; turns += 1) await nextTurnOfLoop()
    assert.equal(sender.begun.length, 0)
    await dispatcher.start()
    await sender.began(1)
    sender.of(owed.id).end()
    await idle(dispatcher)
    assert.deepEqual(model.get(owed.id).result, DELIVERED)
  })

  test('a defect of the sender leaves neither a place taken nor a delivery without an outcome', async () => {
    const { model, dispatcher } = setup({ sender: { send: () => Promise.reject(new Error('a defect')) } })
    const owed = model.owe('owner', 'shop')
    await dispatcher.start()
    await idle(dispatcher)
    assert.equal(model.get(owed.id).result?.kind, 'failed')
  })

  test('the log tells the outcome and none of the secrets', async () => {
    const { model, sender, dispatcher, lines } = setup()
    const good = model.owe('owner', 'shop', 'invoice 1')
    const bad = model.owe('owner', 'shop', 'invoice 2')
    const gone = model.owe('other', 'other', 'invoice 3')
    await dispatcher.start()
    await sender.began(3)
    sender.of(good.id).end({ kind: 'answered', httpStatus: 204, durationMs: 12 })
    sender.of(bad.id).end({ kind: 'answered', httpStatus: 500, durationMs: 13 })
    sender.of(gone.id).end({ kind: 'failed', reason: 'dns', detail: 'ENOTFOUND', durationMs: 14 })
    await idle(dispatcher)
    const told = lines.map((line) => JSON.parse(line)).map(({ time, msg, ...rest }) => rest)
    const about = (id: string, invoiceId: string, host: string) => {
      return { deliveryId: id, invoiceId, status: 'pending', origin: `http://${host}.test` }
    }
    assert.deepEqual(told, [
      { level: 'info', ...about(good.id, 'invoice 1', 'shop'), durationMs: 12, httpStatus: 204 },
      { level: 'warn', ...about(bad.id, 'invoice 2', 'shop'), durationMs: 13, httpStatus: 500 },
      { level: 'warn', ...about(gone.id, 'invoice 3', 'other'), durationMs: 14, failure: 'dns', detail: 'ENOTFOUND' },
    ])
    for (const { delivery } of sender.begun) {
      for (const secret of [
        MODEL_SECRET,
        String(delivery.headers['X-Service-Signature']),
        String(delivery.headers['webhook-signature']),
        new URL(delivery.url).pathname,
        Buffer.from(delivery.body).toString(),
      ]) {
        assert.ok(!lines.join('').includes(secret))
      }
    }
  })
})
