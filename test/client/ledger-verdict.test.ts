import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  type ExpectedStream,
  type LedgerVerdict,
  type NodeAnswer,
  verdictOf,
} from '../../packages/client/src/ledger-verdict.js'
import { projectRoot } from '../support/project-root.js'

const ID = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)
const NEW: ExpectedStream = { list: 'new', id: ID }
const UPDATED: ExpectedStream = { list: 'updated', id: ID }

function answer(counts: string, errors?: unknown, $streams?: unknown): NodeAnswer {
  const [total, vote, commit] = counts.split('/').map(Number)
  return { $summary: { total, vote, commit, ...(errors === undefined ? {} : { errors }) }, $streams }
}

const made = { new: [{ id: ID }], updated: [] }
const changed = { new: [], updated: [{ id: ID }] }

type Row = readonly [what: string, verdict: LedgerVerdict['kind'], expected: ExpectedStream, answer: NodeAnswer]

const rows: readonly Row[] = [
  ['committed by all', 'committed', NEW, answer('2/2/2', undefined, made)],
  ['committed, and an empty list of errors', 'committed', UPDATED, answer('2/2/2', [], changed)],
  [
    'committed while a node lags',
    'committed',
    UPDATED,
    answer('3/2/2', ['Stream(s) not found - Error Default Error Id'], changed),
  ],
  ['committed while a node is busy', 'committed', UPDATED, answer('3/2/2', ['Busy Locks'], changed)],
  [
    'committed while a contract is missing on a node',
    'committed',
    UPDATED,
    answer('3/2/2', ['Init Contract Error'], changed),
  ],
  [
    'committed while a node votes against it',
    'committed',
    UPDATED,
    answer('3/2/2', ['Vote Failure - "no" - Error 1'], changed),
  ],
  [
    'committed by one node where others had it',
    'committed',
    NEW,
    answer('2/2/1', ['Deterministic Stream Name Exists - Error 1'], made),
  ],
  ['not saved', 'unknown', NEW, answer('2/2/2', ['Failed to save - Error 1'], made)],
  [
    'not saved, among other errors',
    'unknown',
    UPDATED,
    answer('3/2/2', ['Stream(s) not found', 'Failed to save - Error 1'], changed),
  ],
  ['not saved, and not committed', 'unknown', NEW, answer('2/2/0', ['Failed to save - Error 1'])],
  ['a repetition of the same millisecond', 'unknown', NEW, answer('1/0/0')],
  ['not committed, without a reason', 'unknown', UPDATED, answer('3/2/0', [])],
  ['nothing counted', 'unknown', UPDATED, { $summary: {} }],
  ['no summary', 'unknown', UPDATED, { $summary: null }],
  ['committed, without saying what', 'unknown', UPDATED, answer('2/2/2')],
  ['committed, with empty lists', 'unknown', UPDATED, answer('2/2/2', [], { new: [], updated: [] })],
  ['committed, in the other list', 'unknown', UPDATED, answer('2/2/2', [], made)],
  ['another identity than expected', 'rejected', NEW, answer('2/2/2', [], { new: [{ id: OTHER }] })],
  ['another wallet than expected', 'rejected', UPDATED, answer('2/2/2', [], { updated: [{ id: OTHER }] })],
  ['an identity that exists', 'committed', NEW, answer('2/2/0', ['Deterministic Stream Name Exists - Error 1'])],
  [
    'an identity that exists, at a single node',
    'committed',
    NEW,
    answer('1/1/0', ['Deterministic Stream Name Exists']),
  ],
  [
    'a name that exists, of a wallet',
    'rejected',
    UPDATED,
    answer('2/2/0', ['Deterministic Stream Name Exists - Error 1']),
  ],
  ['busy', 'busy', UPDATED, answer('1/0/0', ['Busy Locks'], { new: [], updated: [] })],
  [
    'busy at another node',
    'busy',
    UPDATED,
    answer('3/1/0', ['Input Stream Position Incorrect - Error 1', 'Busy Locks', 'Failed Network Voting Round']),
  ],
  [
    'overtaken by another assignment',
    'busy',
    UPDATED,
    answer('3/1/0', ['Output Stream Position Incorrect - Error 1', 'Failed Network Voting Round']),
  ],
  ['cut off from the other nodes', 'busy', NEW, answer('1/1/0', ['Error: 3x Right Knock Error'])],
  ['signed by nobody', 'rejected', UPDATED, answer('3/0/0', ['Input Signature Incorrect - Error 1'])],
  ['refused by the contract', 'rejected', UPDATED, answer('3/0/0', ['Vote Failure - "assigned already" - Error 1'])],
  ['refused with one error that is no list', 'rejected', UPDATED, answer('3/0/0', 'Input Signature Incorrect')],
]

describe('the verdict on an answer of a ledger node', () => {
  for (const [what, kind, expected, given] of rows) {
    test(`${what}: ${kind}`, () => assert.equal(verdictOf(given, expected).kind, kind))
  }

  test('tells refusals of the contract, which may be about an earlier post, from others', () => {
    const told = (errors: readonly string[]) => verdictOf(answer('3/0/0', errors), UPDATED)
    const refusal = 'Vote Failure - "the wallet is assigned already" - Error 1'
    assert.deepEqual(told(['Init Contract Error', refusal]), { kind: 'rejected', told: refusal, byContract: true })
    const other = 'Stream(s) not found - Error 1'
    assert.deepEqual(told([other]), { kind: 'rejected', told: other, byContract: false })
  })

  test('is right about every onboarding and assignment that was recorded', () => {
    const counts = new Map<string, number>()
    for (const line of readFileSync(join(projectRoot, 'test/sandbox/recorded/three-nodes-2.15.7.jsonl'), 'utf8')
      .trim()
      .split('\n')) {
      const { request, status, body } = JSON.parse(line) as Recorded
      const { $tx } = (request.body ?? {}) as Transaction
      if (status !== 200 || request.api !== 'transactions' || $tx?.$namespace !== 'shop') continue
      const wallet = $tx.$o?.['wallet']?.$stream
      const list = wallet === undefined ? 'new' : 'updated'
      const id = wallet ?? body.$streams?.new[0]?.id ?? ''
      const { kind } = verdictOf(body, { list, id })
      const { commit, errors = [] } = body.$summary
      const isUnsaved = errors.some((error) => error.startsWith('Failed to save'))
      if (commit > 0 && !isUnsaved && id !== '') assert.equal(kind, 'committed', line)
      if (isUnsaved || (commit === 0 && errors.length === 0)) assert.equal(kind, 'unknown', line)
      if (commit === 0 && errors.length > 0) assert.ok(['rejected', 'busy', 'committed'].includes(kind), line)
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    assert.deepEqual([...counts.keys()].sort(), ['busy', 'committed', 'rejected', 'unknown'])
  })
})

interface Recorded {
  readonly request: { readonly api: string; readonly body?: unknown }
  readonly status: number | null
  readonly body: NodeAnswer & {
    readonly $summary: { readonly commit: number; readonly errors?: readonly string[] }
    readonly $streams?: { readonly new: readonly { readonly id: string }[] }
  }
}

interface Transaction {
  readonly $tx?: {
    readonly $namespace: string
    readonly $o?: Readonly<Record<string, { readonly $stream?: string }>>
  }
}
