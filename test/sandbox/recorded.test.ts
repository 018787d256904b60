import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { OnboardingOutcome } from '../../src/sandbox/ledger-temper.js'
import type { NodeAnswer } from '../../src/sandbox/simulated-node.js'
import { projectRoot } from '../support/project-root.js'
import { RecordedAnswers } from './recorded-answers.js'
import { RecordedLedger } from './recorded-ledger.js'

/*
 * Requests to a network of three Activeledger nodes, version 2.15.7, and their answers, in the order of the answers. The
 * nodes were run on one machine for the purpose, with contracts written for it. The simulated ledger gets the same
 * requests, and has to give the same answers.
 */
const FILE = join(projectRoot, 'test/sandbox/recorded/three-nodes-2.15.7.jsonl')

interface Answer {
  readonly $umid?: string
  readonly $summary?: { readonly commit: number; readonly errors?: readonly string[] }
  readonly $streams?: { readonly new: readonly { readonly id: string }[] }
}

interface Recorded {
  readonly what: string
  readonly request: {
    readonly api: 'transactions' | 'core' | 'store'
    readonly node: number
    readonly path: string
    readonly body?: unknown
  }
  /** Null when no answer came in time. */
  readonly status: number | null
  readonly body: unknown
  /** How a long list was cut. */
  readonly note?: string
}

interface Tx {
  readonly $i: Readonly<Record<string, { readonly $stream?: string }>>
  readonly $o?: Readonly<Record<string, { readonly $stream?: string }>>
}

const records = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)

/** The first of each pair of requests that were made at once. Repeated bodies of one millisecond are told apart by their ids. */
const PAIRS = new Set([
  36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64, 66, 69, 73, 77, 79, 81, 83, 85, 87, 89, 91, 93, 189,
])

/** What the listing of the contract with events was asked for. */
const EVENTS_FROM_MS = 1795653032386

/** Before these, identities with these keys were onboarded beside the recording. */
const ONBOARDED = new Map([
  [6, ['0x0387670edf79cf76f08f2409c92de19d60f40cc7f4da6b83c15a56fab6e7e65618']],
  [
    79,
    [
      '0x03414e9320e49a84ede3d0fccd5c9f7e82731a8dbbcda80fdcac8337720d6532f0',
      '0x0392bb5be2872d5cee12a557264d2a8f1c8752ff8ee5c01b008dde1de5a0e15c9b',
      '0x02a4bd1dba6cc21689faea0d9f4a9b1c6c4a2c24330f11a949cbe72cd348228c7c',
      '0x02c037e819100ced7cef849c65e713a1aeb0d877952107193ca6c6923ac8ff881a',
      '0x02da9911d2dbe14adfd994f4b47bc422340794e7c17b6ccfeaec47dd0b47371996',
      '0x03e646070b6820ecce17f6ef345acb8fa7db961a4e3dbf7cd7514362f028d04ab8',
      '0x0201fd907d54731b5a6a8629030f0bb9b6867020a518663f3dec3c22bf940d089c',
      '0x02e6e87f80932669cedf7958b21dcbd9aae34e51de07a2469893a0fe4ac9d24e06',
      '0x03561cee5eea2fe74b249cf8d4b2600ebbe3fab48230aa475e4a6a58b6f7594587',
      '0x0200de0fce1d617f967a4e7b00f4d49a228fcbb0978f328a869cb13aa7a50a93e1',
      '0x03eded024681a61e139516aa6a100a74eb2235346b8a3aa0604029f290f22f58ba',
      '0x037c4c1bc21cfd4e6aa87dc784f99695521b308e452979233d0e17da25d9e907b9',
      '0x025d7559003847621f4261c5f1e714edd6b9f834fb32374c6b8fd569e643f668f3',
    ],
  ],
  [
    98,
    [
      '0x02a457f64ff82000e272098d9a1fd2414d5f2dbeafd50d451f8242b0ff00cfb001',
      '0x02e1a2ad3ccf49e807cc67b47e4d6942693e2900537e415f0f9663e46d1767c725',
      '0x03c3ccaf09a27939ef67d9b025f09eafab5784593beb03a7e221f170bd6c51e5d3',
      '0x03a999c5afc51addd04bee102d19e1a9d8337015664bd3954d457ab90fda26e36c',
    ],
  ],
])

/** Transactions that were committed before these, of which the recording has no request but a later look. */
const POSTED_BEFORE = new Map([
  [9, 13],
  [128, 177],
])

/** States of the nodes that the recording was made in, by the request before which they begin. */
const CHANGES: ReadonlyMap<number, (ledger: RecordedLedger) => void> = new Map([
  [95, (ledger: RecordedLedger) => ledger.nodes[0]?.memory.forget()],
  [96, (ledger: RecordedLedger) => ledger.nodes[0]?.memory.restore()],
  // It came back without the contract that was deployed meanwhile.
  [98, (ledger: RecordedLedger) => ledger.nodes[0]?.memory.missContract(ledger.contracts.at(-2)?.id ?? '')],
  [113, (ledger: RecordedLedger) => ledger.clock.set(EVENTS_FROM_MS)],
])

let ledger: RecordedLedger
const answers = new RecordedAnswers()

before(() => {
  ledger = new RecordedLedger(keyOf(records[0] ?? assert.fail()))
})
after(() => ledger.close())

describe('the simulated ledger answers as three real nodes did', () => {
  test('to everything that was recorded', () => assert.equal(records.length, 192))

  for (const [index, record] of records.entries()) {
    const number = index + 1
    if (PAIRS.has(number - 1)) continue
    const pair = PAIRS.has(number) ? [record, records[index + 1] ?? assert.fail()] : [record]
    test(`${number}${pair.length > 1 ? ` and ${number + 1}` : ''}: ${record.what}`, async () => {
      await prepare(number, pair)
      const played = await play(pair)
      for (const [place, one] of pair.entries()) await judge(one, played[place] ?? assert.fail())
      ledger.settle()
    })
  }
})

/** Brings the ledger into the state in which the requests were made. */
async function prepare(number: number, pair: readonly Recorded[]): Promise<void> {
  for (const key of ONBOARDED.get(number) ?? []) ledger.onboard(key)
  ledger.settle()
  CHANGES.get(number)?.(ledger)
  const looked = records[(POSTED_BEFORE.get(number) ?? 0) - 1]
  if (looked !== undefined) {
    const { umid } = looked.body as { umid: { $tx: Tx; $sigs: Readonly<Record<string, unknown>>; $selfsign: boolean } }
    const { $tx, $selfsign } = umid
    createWallets({ $tx }, [])
    // A signature is posted alone and kept under the hash of its key.
    const $sigs = Object.fromEntries(
      Object.entries(umid.$sigs).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : Object.values(value as object)[0],
      ]),
    )
    const { value } = await nodeAt(0).submit(Buffer.from(JSON.stringify({ $tx, $sigs, $selfsign })))
    assert.equal((value as Answer).$summary?.errors, undefined)
    ledger.settle()
  }
  for (const { request, body } of pair) {
    const { commit = 0, errors = [] } = (body as Answer | null)?.$summary ?? {}
    createWallets(request.body, commit === 0 ? errors : [])
  }
  ledger.settle()
  if (pair.length < 2) return
  const [one, other] = pair.map(outcomeOf)
  if (one !== undefined && other !== undefined) ledger.onboardings = [one, other]
}

/** Wallets that a request names, unless the answer is that there is none. Most were created beside the recording. */
function createWallets(body: unknown, errors: readonly string[]): void {
  const { $tx } = (body ?? {}) as { $tx?: Tx }
  if (errors.length > 0 && errors.every((error) => error.startsWith('Stream(s) not found'))) return
  for (const [label, { $stream = label }] of Object.entries($tx?.$o ?? {})) {
    const id = $stream.slice(-64)
    const isIdentity = Object.values($tx?.$i ?? {}).some((input) => input.$stream === id)
    if (!isIdentity && !ledger.wallets.has(id)) ledger.createWallet(id, addressOf(id))
  }
}

/** The address of a wallet, if an answer tells it. */
function addressOf(wallet: string): string {
  const looked = records.find(({ request }) => request.path === `/api/stream/${wallet}`)
  return (looked?.body as { stream: { address: string } } | undefined)?.stream.address ?? 'T'
}

type Played = { readonly answer: Promise<NodeAnswer>; readonly nextId: string }

/** Sends the requests: at once if they are two, and in the same millisecond if they were one to the node. */
async function play(pair: readonly Recorded[]): Promise<readonly Played[]> {
  const [one, other] = pair
  if (one === undefined) return []
  if (other === undefined) return [send(one)]
  if (idOf(one) !== null && idOf(one) === idOf(other)) {
    // The repetition is answered first.
    const whole = send(other)
    return [send(one), whole]
  }
  const begun = send(one)
  ledger.clock.advance(1)
  return [begun, send(other)]
}

function send({ request, body }: Recorded): Played {
  const { api, node, path } = request
  const nextId = (body as Answer | null)?.$streams?.new?.[0]?.id ?? ''
  ledger.nextId = nextId
  const target = nodeAt(node)
  const answered = (answer: NodeAnswer) => ({ answer: Promise.resolve(answer), nextId })
  if (api === 'transactions') return { answer: target.submit(Buffer.from(textOf(request.body))), nextId }
  if (api === 'store') return answered(target.umids(path.split('?')[1] ?? ''))
  const [, kind, id = ''] = /^\/api\/(stream|tx)\/(.*)$/.exec(path) ?? []
  if (kind === 'tx') return answered(target.transaction(answers.umidFor(id)))
  return { answer: target.stream(id), nextId }
}

/** What was sent. A text that is no JSON was recorded as it was; one that is JSON, without its quotes. */
function textOf(body: unknown): string {
  return typeof body === 'string' && body !== 'text' ? body : JSON.stringify(body)
}

async function judge(record: Recorded, { answer, nextId }: Played): Promise<void> {
  if (record.status === null) return assert.equal(await isPending(answer), true, 'an answer came')
  const { status, value } = await answer
  assert.equal(status, record.status)
  answers.compare(record.body, record.note === undefined ? value : cut(record.body, value))
  const { $tx } = (record.request.body ?? {}) as { $tx?: Readonly<Record<string, unknown>> }
  const { $umid, $summary } = (value ?? {}) as Answer
  if ($tx === undefined || $summary === undefined || $summary.commit === 0) return
  ledger.nextId = nextId
  ledger.keep($tx, $umid ?? '')
}

/** A listing cut like the recorded one. Each tells all of its own rows. */
function cut(recorded: unknown, simulated: unknown): unknown {
  const { rows: kept, total_rows } = recorded as { rows: readonly unknown[]; total_rows: number }
  const listing = simulated as { rows: readonly unknown[]; total_rows: number }
  assert.equal(listing.total_rows, listing.rows.length)
  return { ...listing, rows: listing.rows.slice(0, kept.length), total_rows }
}

/** Whether no answer comes, however often the nodes get their turn. */
async function isPending(answer: Promise<unknown>): Promise<boolean> {
  const turns = async () => {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
    return 'pending'
  }
  return (await Promise.race([answer, turns()])) === 'pending'
}

/** How an onboarding ended; undefined for any other request. */
function outcomeOf({ request, body }: Recorded): OnboardingOutcome | undefined {
  const { $selfsign } = (request.body ?? {}) as { $selfsign?: boolean }
  const [error = ''] = (body as Answer).$summary?.errors ?? []
  if ($selfsign !== true) return undefined
  if (error.startsWith('Failed to save')) return 'unsaved'
  return error === '' ? 'committed' : 'exists'
}

function idOf({ body }: Recorded): string | null {
  return (body as Answer | null)?.$umid ?? null
}

function keyOf({ request }: Recorded): string {
  const { $tx } = request.body as { $tx: { $i: { op: { publicKey: string } } } }
  return $tx.$i.op.publicKey
}

function nodeAt(index: number) {
  return ledger.nodes[index] ?? assert.fail(`there is no node ${index}`)
}
