import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import fc from 'fast-check'
import { createLog } from '../../src/log.js'
import { Dispatcher } from '../../src/webhooks/dispatcher.js'
import { ManualClock } from '../support/manual-clock.js'
import { throwIt } from '../support/throw-it.js'
import { DELIVERED, idle, OutboxModel, TIMED_OUT } from './outbox-model.js'

const CONCURRENCY = 8
const PER_DESTINATION = 2
/** Half of the six places for prompt receivers, and the one for new and the one for slow ones. */
const PER_OWNER = 5

/** Numbers that a shrinking generator can replay. */
function sequence(numbers: readonly number[]) {
  let next = 0
  return (below: number) => {
    const number = numbers[next % numbers.length] ?? 0
    next += 1
    return number % below
  }
}

test('whatever the store and the receivers do, every delivery is sent once, in order, within the bounds', async () => {
  const owed = fc.record({ owner: fc.nat(4), destination: fc.nat(3), invoice: fc.nat(5), gap: fc.nat(3) })
  const numbers = fc.array(fc.nat(1000), { minLength: 5, maxLength: 100 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(owed, { minLength: 1, maxLength: 60 }),
      numbers,
      fc.nat(60),
      async (plan, source, stopAt) => {
        const draw = sequence(source)
        let failuresLeft = 2
        const model = new OutboxModel({
          turns: () => draw(3),
          fails: (operation) => {
            if (operation === 'settleInterrupted' || operation === 'queuedLanes') return false
            if (failuresLeft === 0 || draw(40) !== 7) return false
            failuresLeft -= 1
            return true
          },
        })
        const underWay = new Map<string, number>()
        const busyInvoices = new Set<string>()
        const sent: string[] = []
        // Collected, because the dispatcher survives a sender that throws.
        const violations: string[] = []
        const add = (key: string, by: number, most: number) => {
          const now = (underWay.get(key) ?? 0) + by
          if (now > most) violations.push(`${now} attempts of ${key}`)
          underWay.set(key, now)
        }
        const sender = {
          send: async ({ url }: { readonly url: string }) => {
            const { id, owner, invoiceId, state } = model.get(new URL(url).pathname.slice(1))
            if (state !== 'attempted') violations.push(`${id} was sent while ${state}`)
            const origin = new URL(url).origin
            if (busyInvoices.has(origin + invoiceId)) violations.push(`two attempts of ${invoiceId}`)
            busyInvoices.add(origin + invoiceId)
            sent.push(id)
            add('all', 1, CONCURRENCY)
            add(owner, 1, PER_OWNER)
            add(origin, 1, PER_DESTINATION)
            for (let turns = draw(6); turns > 0; turns -= 1) await nextTurnOfLoop()
            for (const key of ['all', owner, origin]) add(key, -1, CONCURRENCY)
            busyInvoices.delete(origin + invoiceId)
            return draw(4) === 0 ? TIMED_OUT : DELIVERED
          },
        }
        const open = () =>
          new Dispatcher({
            outbox: model.outbox,
            webhooks: model.webhooks,
            sender,
            clock: new ManualClock(),
            log: createLog('silent'),
            onWrongTransition: throwIt,
            concurrency: CONCURRENCY,
            concurrencyPerDestination: PER_DESTINATION,
          })
        let dispatcher = open()
        await dispatcher.start()
        for (const [i, one] of plan.entries()) {
          if (i === stopAt) {
            await dispatcher.stop()
            dispatcher = open()
            await dispatcher.start()
          }
          const lane = `shop-${one.owner}-${one.destination}`
          dispatcher.notify([model.owe(`owner ${one.owner}`, lane, `${lane} ${one.invoice}`)])
          for (let turns = one.gap; turns > 0; turns -= 1) await nextTurnOfLoop()
        }
        await idle(dispatcher)
        await dispatcher.stop()
        assert.deepEqual(violations, [])
        assert.deepEqual([...sent].sort(), [...model.deliveries.keys()].sort())
        const latest = new Map<string, string>()
        for (const id of sent) {
          const invoiceId = String(model.get(id).invoiceId)
          assert.ok((latest.get(invoiceId) ?? '') < id, `${id} overtook ${latest.get(invoiceId)}`)
          latest.set(invoiceId, id)
        }
        for (const one of model.deliveries.values()) {
          // A failure of the store at the very end of a dispatcher may cost the outcome, never the delivery.
          assert.ok(one.result !== null)
        }
      },
    ),
    { numRuns: 60 },
  )
})
