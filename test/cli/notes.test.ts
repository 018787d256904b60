import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { AuditRecord } from '../../src/domain/audit.js'
import { NOTE_LENGTH_MAX, type Note } from '../../src/domain/note.js'
import { Shop } from './shop.js'
import { noTerminal, Terminal } from './terminal.js'

const UNKNOWN = 'f'.repeat(32)
const EMOJI = '\u{1f600}'

async function withInvoice(t: TestContext) {
  const shop = await Shop.open()
  t.after(() => shop.close())
  const id = await shop.invoice('25', '--reference', 'order-1')
  const data = ['--data', shop.data] as const
  const add = (text: string): Promise<Note> => shop.json(['notes', 'add', id, text, ...data])
  const listed = async (...flags: readonly string[]): Promise<readonly Note[]> => {
    const { code, stdout, stderr } = await shop.run(['notes', 'list', '--json', ...data, ...flags])
    assert.deepEqual([code, stderr], [0, ''])
    return records<Note>(stdout)
  }
  return { shop, id, data, add, listed }
}

function records<T>(text: string): readonly T[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line): T => JSON.parse(line))
}

test('billhook notes writes, lists and removes, through a running service and without one', async (t) => {
  const { shop, id, data, add, listed } = await withInvoice(t)
  const other = await shop.invoice('26')
  const first = await add('Called; wants a refund.')
  assert.equal(first.invoiceId, id)
  assert.match(first.who, /\(uid \d+/)
  const said = await shop.run(['notes', 'add', other, 'of another', ...data])
  assert.deepEqual([said.code, said.stderr], [0, ''])
  assert.match(said.stdout, new RegExp(`^The note [0-9a-f]{32} is kept with the invoice ${other}\\.\n$`))
  await shop.stop()
  const piped = await shop.program(['notes', 'add', id, '-', '--json', ...data], {}, 'Refunded.\n')
  assert.deepEqual([piped.code, piped.stderr], [0, ''])
  const second: Note = JSON.parse(piped.stdout)
  assert.deepEqual(
    (await listed()).map(({ text }) => text),
    ['Refunded.', 'of another', 'Called; wants a refund.'],
  )
  assert.deepEqual(await listed('--invoice', id), [second, first])
  assert.deepEqual(await listed('--invoice', UNKNOWN), [])
  assert.deepEqual(await listed('--invoice', id, '--owner', 'nobody'), [])
  assert.equal((await listed('--owner', shop.owner)).length, 3)
  assert.equal((await listed('--since', new Date(second.at).toISOString())).length >= 1, true)
  assert.deepEqual(await listed('--since', '2999-01-01'), [])
  assert.equal((await shop.run(['notes', 'list', '--since', 'soon', ...data])).code, 2)

  const removed = await shop.run(['notes', 'remove', first.id, ...data])
  assert.deepEqual([removed.code, removed.stdout], [0, `The note ${first.id} of the invoice ${id} is removed.\n`])
  const again = await shop.run(['notes', 'remove', first.id, ...data])
  assert.deepEqual([again.code, again.stdout], [1, ''])
  assert.match(again.stderr, /not_found/)
  assert.deepEqual(await listed('--invoice', id), [second])
})

test('a note is refused for what it may not be, before and behind the socket, and leaves a trace without its text', async (t) => {
  const { shop, id, data, add, listed } = await withInvoice(t)
  for (const text of ['', ' \n ', 'x'.repeat(NOTE_LENGTH_MAX + 1), 'a\u001b]0;x\u0007', '\u200b']) {
    const refused = await shop.run(['notes', 'add', id, text, ...data])
    assert.deepEqual([refused.code, refused.stdout], [2, ''], JSON.stringify(text))
    assert.match(refused.stderr, /^A note has 1 to 2000 characters/)
  }
  const unknown = await shop.run(['notes', 'add', UNKNOWN, 'a secret', ...data])
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /invoice_not_found/)
  const long = await shop.program(['notes', 'add', id, '-', ...data], {}, EMOJI.repeat(NOTE_LENGTH_MAX + 1))
  assert.equal(long.code, 1)
  assert.match(long.stderr, /invalid_note/)
  const bytes = await shop.program(['notes', 'add', id, '-', ...data], {}, Buffer.from([0x61, 0xff]))
  assert.deepEqual([bytes.code, bytes.stderr], [1, 'billhook: standard input is not UTF-8\n'])
  assert.deepEqual(await listed(), [])
  const { id: kept } = await add('a secret')
  await shop.run(['notes', 'remove', kept, ...data])
  await shop.run(['notes', 'remove', kept, ...data])
  const { stdout } = await shop.run(['audit', 'list', '--json', ...data])
  const told = records<AuditRecord>(stdout).filter(({ action }) => action.startsWith('note.'))
  assert.deepEqual(
    told.map(({ action, owner, subject, outcome, detail }) => [action, owner, subject, outcome, detail]),
    [
      ['note.remove', null, kept, 'refused', 'not_found'],
      ['note.remove', shop.owner, `${id} ${kept}`, 'done', null],
      ['note.add', shop.owner, id, 'done', null],
      ['note.add', shop.owner, id, 'refused', 'invalid_note'],
      ['note.add', null, UNKNOWN, 'refused', 'invoice_not_found'],
    ],
  )
  assert.ok(!stdout.includes('a secret'))
})

test('a note of several lines comes from standard input, is one line of a list, and controls no terminal', async (t) => {
  const { shop, id, data, listed } = await withInvoice(t)
  const text = `one\n\u202etwo\u2028=1+1 ${EMOJI.repeat(NOTE_LENGTH_MAX - 20)}`
  const added = await shop.program(['notes', 'add', id, '-', ...data], {}, `${text}\r\n`)
  assert.deepEqual([added.code, added.stderr], [0, ''])
  assert.deepEqual(
    (await listed()).map((note) => note.text),
    [text],
  )
  const { stdout } = await shop.run(['notes', 'list', ...data])
  const [head, row, end] = stdout.split('\n')
  assert.equal(head, 'at\tinvoiceId\twho\ttext\tid')
  assert.equal(row?.split('\t')[3], `one / ?two?=1+1 ${EMOJI.repeat(NOTE_LENGTH_MAX - 20)}`)
  assert.equal(end, '')
  const csv = await shop.run(['export', 'notes', '--format', 'csv', ...data])
  assert.ok(csv.stdout.startsWith('id,invoiceId,at,who,text\n'))
  assert.ok(csv.stdout.includes('"one\n\\u202etwo\\u2028=1+1 '), csv.stdout.slice(0, 200))
})

test('a note that is a formula is none in CSV', async (t) => {
  const { shop, data, add } = await withInvoice(t)
  await add('=HYPERLINK("https://evil.example")\n+1')
  const { stdout } = await shop.run(['export', 'notes', '--format', 'csv', ...data])
  assert.ok(stdout.includes(`"'=HYPERLINK(""https://evil.example"")\n'+1"`), stdout)
})

test('notes are on a terminal what they are in the console', { skip: noTerminal }, async (t) => {
  const { id, data, add } = await withInvoice(t)
  await add('one\ntwo')
  const { code, text } = await Terminal.start(['notes', 'list', ...data]).ended
  assert.equal(code, 0, text)
  const [head, row] = text.split(/\r?\n/)
  assert.match(head ?? '', /^At +Invoice +Who +Note +Id$/)
  assert.ok(row?.includes(id) && row.includes('  one / two  '), row)
})

test('notes are in an export, and an import takes them over once, behind their invoices', async (t) => {
  const { shop, id, data, add } = await withInvoice(t)
  const notes = [await add('first\nsecond line'), await add('<b>second</b>')]
  const target = join(shop.files, 'target')
  mkdirSync(target)
  const file = async (kind: string) => {
    const { stdout } = await shop.run(['export', kind, ...data])
    const path = join(shop.files, `${kind}.ndjson`)
    writeFileSync(path, stdout)
    return path
  }
  const imported = async (kind: string) => await shop.run(['import', await file(kind), '--data', target])
  assert.deepEqual(records((await shop.run(['export', 'notes', ...data])).stdout), notes.toReversed())
  assert.equal((await imported('identities')).code, 0)
  assert.equal((await imported('wallets')).code, 0)
  const early = await imported('notes')
  assert.equal(early.code, 1)
  assert.match(early.stderr, /its invoice is not known: import invoices first/)
  assert.equal((await imported('invoices')).code, 0)
  for (const what of ['2 added', '0 added']) {
    const { code, stderr } = await imported('notes')
    assert.equal(code, 0, stderr)
    assert.ok(stderr.includes(what), stderr)
  }
  const { stdout } = await shop.run(['notes', 'list', '--invoice', id, '--json', '--data', target])
  assert.deepEqual(records(stdout), notes.toReversed())
  assert.equal((await shop.run(['check', '--data', target])).code, 0)
})

test('notes are in a backup', async (t) => {
  const { shop, data, add } = await withInvoice(t)
  const note = await add('kept twice')
  const backup = join(shop.files, 'backup')
  const restored = join(shop.files, 'restored')
  assert.equal((await shop.run(['backup', backup, ...data])).code, 0)
  mkdirSync(restored)
  assert.equal((await shop.run(['restore', backup, '--data', restored])).code, 0)
  const { stdout } = await shop.run(['notes', 'list', '--json', '--data', restored])
  assert.deepEqual(records(stdout), [note])
})
