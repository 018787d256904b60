import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { postgresForTests } from '../support/postgres-tests.js'
import { makeClusterScript } from './cluster-script.js'
import { DEADLOCK_SETTINGS, onPostgres } from './postgres-engine.js'
import type { Disturb } from './session.js'
import { play } from './simulate.js'
import type { Script } from './steps.js'

const STEPS = 300
const FIXED_SEEDS = [3, 4, 12]

const server = await postgresForTests({ settings: DEADLOCK_SETTINGS })

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

async function playHere(script: Script, disturb?: Disturb) {
  assert.ok(server !== null)
  return play(script, onPostgres(server), disturb)
}

for (const seed of FIXED_SEEDS) {
  test(`several processes on PostgreSQL answer like the model: seed ${seed}, ${STEPS} steps`, async () => {
    const run = await playHere(makeClusterScript(seed, STEPS))
    assert.equal(run.violation, null, run.violation?.violation.message)
    assert.ok(run.tally.commands > 0 && run.tally.calls > 0)
  })
}

test('what is set aside is recorded, though all processes die in the end, with the lease of the one that led', async () => {
  // Of this seed a deposit is set aside when the steps are over.
  const { steps, ...script } = makeClusterScript(103, 60)
  const deaths = Array.from({ length: script.processes ?? 1 }, (_, at) => ({ do: 'crash' as const, at }))
  const run = await playHere({ ...script, steps: [...steps, { do: 'settle', salt: 0 }, ...deaths] })
  assert.equal(run.violation, null, run.violation?.violation.message)
})

/** One amount is asked for on one wallet three times, each time from another process. */
const CREATIONS: Script = {
  seed: 1,
  processes: 3,
  networks: ['SEP', 'TRX-NILE'],
  profile: {
    attemptsMax: 1,
    concurrency: 4,
    concurrencyPerDestination: 2,
    mailboxCapacity: 8192,
    totalCapacity: 65_536,
    turnLimit: 256,
    underpayment: 0,
  },
  steps: [
    { do: 'settle', salt: 0 },
    {
      do: 'events',
      events: [
        { type: 'created', event: null, wallet: 0, place: 0 },
        { type: 'assigned', event: null, wallet: 0, owner: 0, place: null },
      ],
    },
    { do: 'settle', salt: 1 },
    ...[0, 1, 2].map((at) => ({
      do: 'invoice' as const,
      at,
      owner: 0,
      wallets: [0],
      amount: { coins: 1, form: 0 },
      currency: 'native',
      reference: at,
      callback: 'none' as const,
      isPoison: false,
      idempotencyKey: null,
      expiresInSeconds: null,
    })),
    { do: 'settle', salt: 2 },
  ],
}

test('of equal amounts that come to three processes one is created, and another answer of the store is found', async () => {
  const right = await playHere(CREATIONS)
  assert.deepEqual([right.violation, right.tally.commands], [null, 4])
  // A store that refuses for another reason than it says.
  const confused: Disturb = (store) => ({
    ...store,
    commands: new Proxy(store.commands, {
      get: (commands, name) =>
        name === 'perform'
          ? async (...batch: Parameters<typeof commands.perform>) => {
              const fates = await commands.perform(...batch)
              return fates.map((fate) => {
                if (fate.status === 'rejected' || fate.value.type !== 'invoice' || fate.value.outcome.ok) return fate
                const failure = { ...fate.value.outcome.failure, code: 'wallet_not_owned' as const }
                return { ...fate, value: { ...fate.value, outcome: { ok: false as const, failure } } }
              })
            }
          : Reflect.get(commands, name).bind(commands),
    }),
  })
  const { violation } = await playHere(CREATIONS, confused)
  assert.equal(violation?.violation.kind, 'a refusal')
})
