import assert from 'node:assert/strict'
import type { DepositFact } from '../../src/domain/ledger-fact.js'
import { addressOf, invoiceRequest, type LmdbFixture, openFixture } from '../support/lmdb-fixture.js'
import { quantile } from './load-client.js'
import type { ScenarioOptions } from './overload.js'

const OWNER = 'mallory'
const WALLETS = 30
/** Wallets of an invoice: half of them, always with the first. */
const SET_SIZE = 15
const INVOICES = 20_000
const BATCH = 500
const TRIES = 40
const RIVALS = 200
const RIVAL_WALLETS = 50
/** What one command may occupy the thread longer than the same one on a wallet without a past. */
const LONGER_MS_MAX = 5
const LATER_MS = 1_000_000

let transactions = 0

function deposit(wallet: string, amount: string, report: 'pending' | 'confirmed' = 'pending'): DepositFact {
  transactions += 1
  const receivedAt = Date.now() + LATER_MS
  const toAddress = addressOf(wallet)
  const txHash = `0x${transactions}`
  const sighting = { network: 'SEP', txHash, index: 0, toAddress, currency: '#native', amount, receivedAt } as const
  return { type: 'deposit', report, sighting }
}

async function record({ store }: LmdbFixture, fact: DepositFact): Promise<void> {
  const [fate] = await store.commands.perform([{ type: 'deposit', eventId: null, fact }])
  assert.equal(fate?.status === 'fulfilled' && fate.value.type === 'deposit' && fate.value.outcome.status, 'applied')
}

/** Creates what it may, and answers how many that were. */
async function create(
  { store }: LmdbFixture,
  requests: readonly { readonly wallets: readonly string[]; readonly amount: string; readonly reference?: string }[],
): Promise<number> {
  const fates = await store.commands.perform(
    requests.map(({ wallets, amount, reference }) => ({
      type: 'invoice' as const,
      request: invoiceRequest(OWNER, wallets, amount, {
        currency: 'native',
        ...(reference === undefined ? {} : { reference, callbackUrl: 'https://example.com/' }),
      }),
    })),
  )
  return fates.filter((fate) => fate.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok)
    .length
}

/** The median and the greatest of how long `run` takes, ms. */
async function timesOf(
  run: (n: number) => Promise<unknown>,
): Promise<{ readonly median: number; readonly most: number }> {
  const times: number[] = []
  for (let n = 0; n < TRIES; n += 1) {
    const startedAt = performance.now()
    await run(n)
    times.push(performance.now() - startedAt)
  }
  times.sort((a, b) => a - b)
  return { median: quantile(times, 0.5), most: quantile(times, 1) }
}

const walletsNamed = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`)

/** Twenty thousand invoices on as many sets of one's own wallets as there may be, and dust on the wallet that all share. */
export async function crowdedWallets({ verdicts, say }: ScenarioOptions): Promise<void> {
  say(`${INVOICES} invoices on sets of ${SET_SIZE} of ${WALLETS} wallets`)
  const fixture = await openFixture()
  try {
    const wallets = walletsNamed('crowded', WALLETS)
    await fixture.assign(OWNER, ...wallets, 'clean')
    let state = 1
    const random = (below: number) => {
      state = (state * 48_271) % 0x7fff_ffff
      return state % below
    }
    const anySet = () => {
      const set = new Set([wallets[0] ?? ''])
      while (set.size < SET_SIZE) set.add(wallets[1 + random(WALLETS - 1)] ?? '')
      return [...set]
    }
    const sets: string[][] = []
    let made = 0
    for (let tried = 0; tried < INVOICES; tried += 1) {
      const set = anySet()
      const [request] = [{ wallets: set, amount: `${tried + 1}.5`, reference: `set ${tried}` }]
      const created = await create(fixture, [request])
      made += created
      if (created === 1) sets.push(set)
      if (sets.length === 64 && tried > 200) break
    }
    while (made < INVOICES) {
      const batch = Array.from({ length: BATCH }, (_, n) => ({
        wallets: sets[(made + n) % sets.length] ?? [],
        amount: `${made + n + 1}.25`,
        reference: `more ${made + n}`,
      }))
      made += await create(fixture, batch)
    }
    say(`  ${made} invoices on ${sets.length} sets`)
    const clean = await timesOf(() => record(fixture, deposit('clean', '0.001')))
    const judge = (what: string, times: { readonly median: number; readonly most: number }) => {
      say(`  ${what}: median ${times.median.toFixed(1)}, most ${times.most.toFixed(1)} ms`)
      verdicts.judge(`${what}: at most ${LONGER_MS_MAX} ms longer`, times.median - clean.median <= LONGER_MS_MAX)
    }
    say(`  a deposit on a wallet without invoices: median ${clean.median.toFixed(1)}, most ${clean.most.toFixed(1)} ms`)
    const crowded = wallets[0] ?? ''
    judge('dust on the crowded wallet', await timesOf(() => record(fixture, deposit(crowded, '0.001'))))
    judge('confirmed dust', await timesOf(() => record(fixture, deposit(crowded, '0.001', 'confirmed'))))
    judge('a refused creation', await timesOf((n) => create(fixture, [{ wallets: anySet(), amount: `${n}.75` }])))
    await record(fixture, deposit(crowded, '90000', 'confirmed'))
    judge('dust after all were paid at once', await timesOf(() => record(fixture, deposit(crowded, '0.001'))))
  } finally {
    await fixture.close()
  }
}

/** As many paid invoices of one amount as there may be on each of fifty wallets, and creations of that amount. */
export async function rivals({ verdicts, say }: ScenarioOptions): Promise<void> {
  say(`${RIVALS} paid invoices of one amount on sets of ${RIVAL_WALLETS} wallets`)
  const fixture = await openFixture()
  try {
    const wallets = walletsNamed('rival', RIVAL_WALLETS)
    await fixture.assign(OWNER, ...wallets, 'clean')
    for (let n = 0; n < RIVALS; n += 1) {
      const left = wallets[n % RIVAL_WALLETS] ?? ''
      const set = wallets.filter((id) => id !== left)
      assert.equal(await create(fixture, [{ wallets: set, amount: '0.000000000000000001' }]), 1)
      await record(fixture, deposit(set[n % set.length] ?? '', '0.000000000000000001', 'confirmed'))
    }
    const clean = await timesOf((n) => create(fixture, [{ wallets: ['clean'], amount: `${n + 1}` }]))
    say(`  a creation on a wallet without a past: median ${clean.median.toFixed(1)}, most ${clean.most.toFixed(1)} ms`)
    const judge = async (what: string, run: (n: number) => Promise<unknown>) => {
      const times = await timesOf(run)
      say(`  ${what}: median ${times.median.toFixed(1)}, most ${times.most.toFixed(1)} ms`)
      verdicts.judge(`${what}: at most ${LONGER_MS_MAX} ms longer`, times.median - clean.median <= LONGER_MS_MAX)
    }
    await judge('a creation on all wallets', (n) => create(fixture, [{ wallets, amount: `1.${n + 1}` }]))
    await judge('a refused one', () => create(fixture, [{ wallets, amount: '1.1' }]))
    await judge('one of the amount, paid each time', async () => {
      await create(fixture, [{ wallets, amount: '0.000000000000000001' }])
      await record(fixture, deposit(wallets[0] ?? '', '0.000000000000000001', 'confirmed'))
    })
  } finally {
    await fixture.close()
  }
}
