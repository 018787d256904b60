import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import fc from 'fast-check'
import type { DeliveryResult } from '../../src/domain/webhook.js'
import { createLog } from '../../src/log.js'
import { Dispatcher } from '../../src/webhooks/dispatcher.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { throwIt } from '../support/throw-it.js'
import { DELIVERED, idle, OutboxModel, TIMED_OUT } from './outbox-model.js'

const ATTEMPTS = 3
const GONE: DeliveryResult = { kind: 'answered', httpStatus: 410, durationMs: 1 }
const BUSY: DeliveryResult = { kind: 'answered', httpStatus: 503, durationMs: 1, retryAfterMs: 7000 }
/** Longer than any pause of this test. */
const LONG_MS = 100_000
const ROUNDS_MAX = 50

test('whatever the store and the receivers do, a delivery is attempted until it succeeds or has had its attempts', async () => {
  const owed = fc.record({ owner: fc.nat(3), invoice: fc.nat(3), redeliver: fc.boolean(), passMs: fc.nat(20_000) })
  const numbers = fc.array(fc.nat(1000), { minLength: 5, maxLength: 100 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(owed, { minLength: 1, maxLength: 30 }),
      numbers,
      fc.nat(30),
      async (plan, source, stopAt) => {
        let drawn = 0
        const draw = (below: number) => {
          drawn += 1
          return (source[drawn % source.length] ?? 0) % below
        }
        let failuresLeft = 2
        const model = new OutboxModel({
          turns: () => draw(3),
          fails: (operation) => {
            // Those of recording would cost the test its knowledge of what was answered; its pauses are real time.
            if (!['nextRetryAt', 'releaseRetries', 'adjustRetries'].includes(operation)) return false
            if (failuresLeft === 0 || draw(9) !== 7) return false
            failuresLeft -= 1
            return true
          },
        })
        const scheduler = new ManualScheduler()
        const results = new Map<string, DeliveryResult[]>()
        const rounds = new Map<string, number>()
        const busyInvoices = new Set<string>()
        const violations: string[] = []
        const sender = {
          send: async ({ url }: { readonly url: string }) => {
            const { id, invoiceId: ofInvoice, state, attempts } = model.get(new URL(url).pathname.slice(1))
            const invoiceId = String(ofInvoice)
            const before = results.get(id) ?? []
            if (state !== 'attempted' || attempts !== before.length + 1) violations.push(`${id} was not marked`)
            if (busyInvoices.has(invoiceId)) violations.push(`two attempts of ${invoiceId}`)
            busyInvoices.add(invoiceId)
            for (let turns = draw(6); turns > 0; turns -= 1) await nextTurnOfLoop()
            busyInvoices.delete(invoiceId)
            const result = [DELIVERED, TIMED_OUT, BUSY, TIMED_OUT, GONE][draw(5)] ?? DELIVERED
            results.set(id, [...before, result])
            return result
          },
        }
        const open = () =>
          new Dispatcher({
            outbox: model.outbox,
            webhooks: model.webhooks,
            sender,
            scheduler,
            clock: model.clock,
            log: createLog('silent'),
            onWrongTransition: throwIt,
            concurrency: 8,
            concurrencyPerDestination: 2,
            retry: { attemptsMax: ATTEMPTS, random: () => draw(1000) / 1000 },
          })
        let dispatcher = open()
        await dispatcher.start()
        const pass = async (ms: number) => {
          model.clock.advance(ms)
          scheduler.pass(ms)
          for (let turns = draw(4); turns > 0; turns -= 1) await nextTurnOfLoop()
        }
        for (const [i, one] of plan.entries()) {
          if (i === stopAt) {
            await dispatcher.stop()
            dispatcher = open()
            await dispatcher.start()
          }
          const lane = `shop-${one.owner}`
          dispatcher.notify([model.owe(`owner ${one.owner}`, lane, `${lane} ${one.invoice}`)])
          await pass(one.passMs)
          const over = [...model.deliveries.values()].find(({ state }) => state === 'settled' || state === 'waiting')
          if (!one.redeliver || over === undefined) continue
          rounds.set(over.id, (rounds.get(over.id) ?? 0) + 1)
          dispatcher.notify([model.redeliver(over.id)])
        }
        const isOver = () => [...model.deliveries.values()].every(({ state }) => state === 'settled')
        for (let round = 0; round < ROUNDS_MAX && !isOver(); round += 1) {
          await idle(dispatcher)
          await pass(LONG_MS)
          for (let turns = 0; turns < 30; turns += 1) await nextTurnOfLoop()
        }
        await idle(dispatcher)
        await dispatcher.stop()
        assert.deepEqual(violations, [])
        for (const { id, state, attempts, attemptsBefore, nextAttemptAt } of model.deliveries.values()) {
          const made = results.get(id) ?? []
          assert.deepEqual([state, nextAttemptAt, attempts], ['settled', null, made.length])
          const inRound = attempts - attemptsBefore
          assert.ok(inRound >= 1 && inRound <= ATTEMPTS, `${inRound} attempts`)
          assert.ok(made.length <= ATTEMPTS * (1 + (rounds.get(id) ?? 0)))
          const last = made.at(-1)
          assert.ok(last === DELIVERED || last === GONE || inRound === ATTEMPTS, 'it was given up too early')
          for (const earlier of made.slice(attemptsBefore, -1)) assert.ok(earlier !== DELIVERED && earlier !== GONE)
        }
      },
    ),
    { numRuns: 60 },
  )
})
