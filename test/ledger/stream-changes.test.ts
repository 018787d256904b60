import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LedgerNodes } from '../../src/ledger/ledger-nodes.js'
import { agreedChanges, readTxs } from '../../src/ledger/stream-changes.js'
import { always, MISSING, serveNode } from './node-server.js'

test('transactions are read where a node tells nothing but them', () => {
  const umid = 'ab'.repeat(32)
  assert.deepEqual(readTxs([umid, umid]), [umid, umid])
  for (const other of [undefined, null, 'x', { 0: umid }, [umid, 1], [umid, 'ab'], [umid.toUpperCase()]]) {
    assert.equal(readTxs(other), null)
  }
})

const rows: readonly (readonly [what: string, told: readonly string[], readApis: number, agreed: string])[] = [
  ['the first transaction made the stream', ['m'], 1, ''],
  ['what the only read API tells counts', ['mab'], 1, 'ab'],
  ['all of two have to tell it', ['mab', 'ma'], 2, 'a'],
  ['two of three are enough', ['mab', 'mab', 'm'], 3, 'ab'],
  ['one of three tells what is not so', ['mx', 'm', 'm'], 3, ''],
  ['the only one of three that answers does not decide', ['mx'], 3, ''],
  ['two of four are not more than half', ['mx', 'mx'], 4, ''],
  ['a liar that repeats a transaction counts once', ['mxx', 'm'], 2, ''],
  ['a liar that puts another one before the first does not make it a change', ['xm', 'm'], 2, ''],
  ['a liar that drops the first does not hide the others', ['ab', 'mab', 'mab'], 3, 'ab'],
  ['one that tells nothing counts as if it denied', ['', 'mab', ''], 3, ''],
]
for (const [what, told, readApis, agreed] of rows) {
  test(`of the transactions of a stream, ${what}`, () => {
    const lists = told.map((text) => [...text])
    assert.deepEqual(agreedChanges(lists, readApis).join(''), agreed)
    assert.deepEqual(agreedChanges(lists.toReversed(), readApis).join(''), agreed)
  })
}

test('the changes of a wallet are asked for at all read APIs, and those count that most tell', async (context) => {
  const [wallet, made, change, lie] = ['1'.repeat(64), '2'.repeat(64), '3'.repeat(64), '4'.repeat(64)] as const
  const paths: string[] = []
  const telling = (txs: unknown) =>
    serveNode(context, (request, response) => {
      paths.push(`${request.method} ${request.url}`)
      always(200, JSON.stringify({ stream: { $stream: true, txs } }))(request, response)
    })
  const changesAt = async (...urls: readonly string[]) => {
    const nodes = new LedgerNodes({ storeUrls: [], urls, timeoutMs: 5000 })
    context.after(() => nodes.close())
    return nodes.changesOf(wallet)
  }
  const [well, lying, lagging] = [await telling([made, change]), await telling([made, lie]), await telling([made])]
  const [untelling, missing] = [await telling(undefined), await serveNode(context, always(500, MISSING))]
  assert.deepEqual(await changesAt(well), [change])
  assert.deepEqual(paths.splice(0), [`GET /api/stream/${wallet}:stream`])
  assert.deepEqual(await changesAt(well, well, lying), [change])
  assert.deepEqual(await changesAt(lying, lagging, lagging), [])
  assert.deepEqual(await changesAt(lying, missing, untelling), [])
  assert.deepEqual(await changesAt('http://127.0.0.1:1', well, well), [change])
  assert.deepEqual(await changesAt(untelling), [])
  assert.deepEqual(await changesAt(missing), [])
  assert.deepEqual(await changesAt(await serveNode(context, always(200, '{"stream":[]}'))), [])
})

test('nobody is asked for the changes of what is no id of a stream', async () => {
  const nodes = new LedgerNodes({ storeUrls: [], urls: ['http://127.0.0.1:1'], timeoutMs: 5000 })
  for (const id of ['', '_all_docs', 'AB'.repeat(32), `${'ab'.repeat(32)}:stream`]) {
    await assert.rejects(nodes.changesOf(id), /only ids of streams/)
  }
  await nodes.close()
})
