import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { OperatorError } from '../../src/operator-error.js'
import { type LedgerEntry, LedgerJournal } from '../../src/sandbox/ledger-journal.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const identity: LedgerEntry = { type: 'identity', umid: 'a1', identity: 'i1', publicKey: '02' }
const assignment: LedgerEntry = { type: 'assignment', umid: 'a2', wallet: 'w1', owner: 'i1', isSigned: true }

function journalPath(context: TestContext): string {
  const place = temporaryDirectory()
  context.after(() => place.remove())
  return join(place.path, 'journal.jsonl')
}

/** What every line has beside its entry. */
const RECORDED = '"at":1,"transaction":{}'

const sent = { $tx: { $contract: 'ü' }, $sigs: { otk: 'x' }, $selfsign: true }

/** What a journal holds when it is opened. */
function committedAt(path: string): readonly LedgerEntry[] {
  const journal = LedgerJournal.open(path)
  journal.close()
  return journal.committed.map(({ entry }) => entry)
}

describe('the journal of the simulated ledger', () => {
  test('begins empty and keeps what is appended', (context) => {
    const path = journalPath(context)
    const journal = LedgerJournal.open(path)
    assert.deepEqual(journal.committed, [])
    journal.append(identity, 5, sent)
    // A second reader sees it before the journal is closed, as after a crash.
    assert.equal(readFileSync(path, 'utf8').split('\n').length, 3)
    journal.append(assignment, 5, sent)
    journal.close()
    assert.deepEqual(committedAt(path), [identity, assignment])
    assert.deepEqual(committedAt(path), [identity, assignment])
  })

  test('reads a transaction back from its line, before and after it is opened again', (context) => {
    const path = journalPath(context)
    const journal = LedgerJournal.open(path)
    const other = { $tx: { note: '😀' }, $sigs: {}, $selfsign: false }
    const lines = [journal.append(identity, 5, sent), journal.append(assignment, 7, other)]
    assert.deepEqual(
      lines.map((line) => journal.transactionAt(line)),
      [sent, other],
    )
    journal.close()
    const reopened = LedgerJournal.open(path)
    context.after(() => reopened.close())
    assert.deepEqual(reopened.committed, lines)
    assert.deepEqual(
      reopened.committed.map((line) => reopened.transactionAt(line)),
      [sent, other],
    )
  })

  test('cuts off a line that a crash left incomplete', (context) => {
    const path = journalPath(context)
    const journal = LedgerJournal.open(path)
    journal.append(identity, 5, sent)
    journal.close()
    const whole = readFileSync(path)
    const next = `${JSON.stringify({ ...assignment, at: 5, transaction: sent })}\n`
    for (let length = 1; length < next.length; length += 1) {
      writeFileSync(path, Buffer.concat([whole, Buffer.from(next.slice(0, length))]))
      const reopened = LedgerJournal.open(path)
      assert.deepEqual(
        reopened.committed.map(({ entry }) => entry),
        [identity],
      )
      reopened.append(assignment, 5, sent)
      reopened.close()
      assert.deepEqual(committedAt(path), [identity, assignment])
    }
  })

  test('begins anew when not even the first line is complete', (context) => {
    const path = journalPath(context)
    writeFileSync(path, '{"journal":')
    const journal = LedgerJournal.open(path)
    journal.append(identity, 5, sent)
    journal.close()
    assert.deepEqual(committedAt(path), [identity])
  })

  const damaged: readonly [what: string, line: string][] = [
    ['no JSON', '{"type"'],
    ['null', 'null'],
    ['an unknown entry', `{"type":"other","umid":"a",${RECORDED}}`],
    ['an entry without the id of its transaction', `{"type":"identity","identity":"i1","publicKey":"02",${RECORDED}}`],
    ['an entry without its transaction', '{"type":"identity","umid":"a","identity":"i1","publicKey":"02"}'],
    ['an identity without key', `{"type":"identity","umid":"a","identity":"i1",${RECORDED}}`],
    ['an assignment without owner', `{"type":"assignment","umid":"a","wallet":"w1",${RECORDED}}`],
    ['a time without a transaction', '{"type":"identity","umid":"a","identity":"i1","publicKey":"02","at":1}'],
    [
      'a transaction without a time',
      '{"type":"identity","umid":"a","identity":"i1","publicKey":"02","transaction":{}}',
    ],
    ['nothing', ''],
  ]
  for (const [what, line] of damaged) {
    test(`refuses a line that is ${what}, and says which`, (context) => {
      const path = journalPath(context)
      LedgerJournal.open(path).close()
      appendFileSync(
        path,
        `${JSON.stringify({ ...identity, at: 1, transaction: sent })}\n${line}\n${JSON.stringify(assignment)}\n`,
      )
      const before = readFileSync(path)
      assert.throws(
        () => LedgerJournal.open(path),
        (error) => error instanceof OperatorError && /line 3/.test(error.message),
      )
      assert.deepEqual(readFileSync(path), before)
    })
  }

  for (const foreign of ['name,amount\nbill,10\n', 'name,amount\nbill', 'name', '{"journal":"another"}\n']) {
    test(`refuses a file that is something else and leaves it alone: ${JSON.stringify(foreign)}`, (context) => {
      const path = journalPath(context)
      writeFileSync(path, foreign)
      assert.throws(() => LedgerJournal.open(path), OperatorError)
      assert.equal(readFileSync(path, 'utf8'), foreign)
    })
  }

  test('refuses a path that cannot be opened', (context) => {
    const path = join(journalPath(context), 'nowhere')
    assert.throws(() => LedgerJournal.open(path), OperatorError)
  })

  test('writes nothing once it is closed', (context) => {
    const journal = LedgerJournal.open(journalPath(context))
    journal.close()
    journal.close()
    assert.throws(() => journal.append(identity, 5, sent), /closed/)
  })
})
