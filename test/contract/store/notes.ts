import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NOTE_LENGTH_MAX, NOTES_MAX, type Note } from '../../../src/domain/note.js'
import type { ImportOutcome } from '../../../src/store/imports.js'
import { refusalOf, unwrap } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const WHO = 'console session 9f31c2aa'
const NOBODY = 'f'.repeat(32)
/** As an export names it: in capitals, so no store has it under this id. */
const IMPORTED = 'ABCDEF0123456789'.repeat(2)

/** What support writes about invoices. */
export function describeNotes(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))
  const add = (t: Scenario, invoiceId: string, text = 'called', who = WHO) =>
    t.store.notes.add({ invoiceId, who, text })
  const textsOf = async (t: Scenario, invoiceId: string) =>
    (await t.store.notes.ofInvoice(invoiceId)).map(({ text }) => text)
  const imported = async (t: Scenario, note: Note): Promise<ImportOutcome> => {
    const [fate] = await t.store.imports.add([{ type: 'note', note }])
    return fate?.status === 'fulfilled' ? fate.value : assert.fail(String(fate?.reason))
  }
  const noteAt = (at: number, fields: Partial<Note> = {}): Note => {
    const id = `${at.toString(16).padStart(12, '0')}${'7'.repeat(20)}`
    return { id, invoiceId: NOBODY, at, who: WHO, text: 'before', ...fields }
  }

  scenario('a note is kept as it was written, with who wrote it and when', async (t) => {
    await t.own('alice', 'wallet-1')
    const { id } = await t.invoice()
    t.clock.advance(5)
    const text = `${'\u{1f600}'.repeat(NOTE_LENGTH_MAX - 8)}\n\u202Eשלום\\`
    const note = unwrap(await add(t, id, text, 'Zoë (uid 7)'))
    assert.match(note.id, /^[0-9a-f]{32}$/)
    const expected = { id: note.id, invoiceId: id, at: START_MS + 5, who: 'Zoë (uid 7)', text }
    assert.deepEqual(note, expected)
    await t.harness.reopen()
    assert.deepEqual(await t.store.notes.ofInvoice(id), [expected])
    assert.deepEqual(await t.store.notes.find(note.id), expected)
  })

  scenario('notes are of their invoice, oldest first, and say nothing about its payment', async (t) => {
    await t.own('alice', 'wallet-1')
    const [one, other] = [await t.invoice(), await t.invoice({ amount: '7' })]
    const before = await t.snapshot()
    for (const text of ['first', 'second', 'third']) {
      unwrap(await add(t, one.id, text))
      t.clock.advance(1)
    }
    unwrap(await add(t, other.id, 'of another'))
    assert.deepEqual(await textsOf(t, one.id), ['first', 'second', 'third'])
    assert.deepEqual(await textsOf(t, other.id), ['of another'])
    assert.deepEqual(await t.snapshot(), before)
  })

  scenario('an invoice that does not exist gets none', async (t) => {
    await t.own('alice', 'wallet-1')
    const { id } = await t.invoice()
    for (const name of [NOBODY, '', 'no id', id.toUpperCase(), `${id}0`, `${id.slice(0, -1)}\0`]) {
      assert.equal(refusalOf(await add(t, name)), 'invoice_not_found', name)
      assert.deepEqual(await t.store.notes.ofInvoice(name), [])
    }
    assert.deepEqual((await t.store.notes.page({ after: null, limit: 9 })).items, [])
  })

  scenario('an invoice has so many notes and no more, however many are written at once', async (t) => {
    await t.own('alice', 'wallet-1')
    const [full, other] = [await t.invoice(), await t.invoice({ amount: '7' })]
    for (let n = 1; n < NOTES_MAX; n += 1) unwrap(await add(t, full.id, `${n}`))
    const both = await Promise.all(['one', 'other'].map((text) => add(t, full.id, text)))
    assert.deepEqual(both.filter(({ ok }) => ok).length, 1)
    assert.equal(refusalOf(await add(t, full.id)), 'too_many_notes')
    assert.equal((await t.store.notes.ofInvoice(full.id)).length, NOTES_MAX)
    unwrap(await add(t, other.id))
    const [first] = await t.store.notes.ofInvoice(full.id)
    unwrap(await t.store.notes.remove(present(first).id))
    unwrap(await add(t, full.id, 'the last'))
    assert.equal((await textsOf(t, full.id)).at(-1), 'the last')
  })

  scenario('what two people write at once is both kept', async (t) => {
    await t.own('alice', 'wallet-1')
    const { id } = await t.invoice()
    const texts = Array.from({ length: 8 }, (_, n) => `note ${n}`)
    const notes = await Promise.all(texts.map((text) => add(t, id, text)))
    assert.equal(new Set(notes.map((note) => unwrap(note).id)).size, texts.length)
    assert.deepEqual((await textsOf(t, id)).toSorted(), texts)
  })

  scenario('a note is removed for good, once', async (t) => {
    await t.own('alice', 'wallet-1')
    const { id } = await t.invoice()
    const [wrong, right] = [unwrap(await add(t, id, 'wrong')), unwrap(await add(t, id, 'right'))]
    const both = await Promise.all([t.store.notes.remove(wrong.id), t.store.notes.remove(wrong.id)])
    // Which of the two comes first is not promised.
    assert.deepEqual(both.filter(({ ok }) => ok).map(unwrap), [wrong])
    assert.deepEqual(both.filter(({ ok }) => !ok).map(refusalOf), ['not_found'])
    assert.equal(await t.store.notes.find(wrong.id), undefined)
    assert.deepEqual(await t.store.notes.ofInvoice(id), [right])
    for (const name of [NOBODY, '', 'no id', right.id.toUpperCase(), id]) {
      if (name === right.id) continue
      assert.equal(refusalOf(await t.store.notes.remove(name)), 'not_found', name)
      assert.equal(await t.store.notes.find(name), undefined)
    }
  })

  scenario('notes of all invoices are listed newest first, page by page', async (t) => {
    await t.own('alice', 'wallet-1')
    const invoices = [await t.invoice(), await t.invoice({ amount: '7' })]
    const written: Note[] = []
    for (let n = 0; n < 5; n += 1) {
      written.unshift(unwrap(await add(t, invoices[n % 2]?.id ?? '', `${n}`)))
      t.clock.advance(1)
    }
    const pages: Note[][] = []
    for (let after: string | null = null; ; ) {
      const page = await t.store.notes.page({ after, limit: 2 })
      pages.push([...page.items])
      after = page.next
      if (after === null) break
    }
    assert.deepEqual(pages, [written.slice(0, 2), written.slice(2, 4), written.slice(4)])
    assert.deepEqual(await t.store.notes.page({ after: 'none', limit: 2 }), { items: [], next: null })
  })

  scenario('is traced as done with what it does, and not when it is refused', async (t) => {
    await t.own('alice', 'wallet-1')
    const { id } = await t.invoice()
    const { audit, notes } = t.store
    const action = { who: WHO, from: '::1', action: 'note.add', owner: 'alice', subject: id }
    const traced = async (act: (trace: string) => Promise<{ readonly ok: boolean }>) => {
      const begun = await audit.begin(action)
      const { ok } = await act(begun.id)
      const record = (await audit.page({ after: null, limit: 100 })).items.find((one) => one.id === begun.id)
      return [ok, record?.outcome, record?.detail]
    }
    const note = { invoiceId: id, who: WHO, text: 'a secret' }
    assert.deepEqual(await traced((trace) => notes.add(note, trace)), [true, 'done', null])
    assert.deepEqual(await traced((trace) => notes.add({ ...note, invoiceId: NOBODY }, trace)), [false, null, null])
    const [kept] = await notes.ofInvoice(id)
    assert.deepEqual(await traced((trace) => notes.remove(present(kept).id, trace)), [true, 'done', null])
    assert.deepEqual(await traced((trace) => notes.remove(present(kept).id, trace)), [false, null, null])
    const { items } = await audit.page({ after: null, limit: 100 })
    assert.ok(!JSON.stringify(items).includes('a secret'))
  })

  scenario('a note of another store is kept as it was there, once, with its invoice', async (t) => {
    await t.own('alice', 'wallet-1')
    const { id } = await t.invoice()
    const note = noteAt(START_MS - 5, { invoiceId: id })
    assert.deepEqual(await imported(t, noteAt(START_MS - 4)), {
      status: 'refused',
      error: 'its invoice is not known: import invoices first',
    })
    assert.deepEqual(await imported(t, note), { status: 'added' })
    assert.deepEqual(await imported(t, note), { status: 'known' })
    const other = { status: 'refused', error: 'another note has its id' }
    assert.deepEqual(await imported(t, { ...note, text: 'another' }), other)
    assert.deepEqual(await t.store.notes.ofInvoice(id), [note])
    for (let n = 1; n < NOTES_MAX; n += 1) unwrap(await add(t, id, `${n}`))
    const full = { status: 'refused', error: `its invoice has ${NOTES_MAX} notes already` }
    assert.deepEqual(await imported(t, noteAt(START_MS - 3, { invoiceId: id })), full)
    assert.deepEqual(await imported(t, note), { status: 'known' })
  })

  scenario('a note is of the invoice that an import has named otherwise', async (t) => {
    await t.own('alice', 'wallet-1')
    const invoice = {
      ...{ id: IMPORTED, owner: 'alice', wallet_id: 'wallet-1', wallet_ids: null, name: 'Before', description: null },
      ...{ reference: null, amount: '3', callback_url: null, created_at: START_MS - 1000 },
      currency: 'USDT' as const,
    }
    const record = { type: 'invoice', invoice, expiresAt: null, voidedAt: null, acceptedAt: null } as const
    const [fate] = await t.store.imports.add([record])
    assert.equal(fate?.status, 'fulfilled')
    const note = unwrap(await add(t, IMPORTED, 'of before'))
    assert.equal(note.invoiceId, IMPORTED)
    assert.equal(refusalOf(await add(t, IMPORTED.toLowerCase())), 'invoice_not_found')
    assert.deepEqual(await t.store.notes.find(note.id), note)
    assert.deepEqual((await t.store.notes.page({ after: null, limit: 9 })).items, [note])
    unwrap(await t.store.notes.remove(note.id))
    assert.deepEqual(await t.store.notes.ofInvoice(IMPORTED), [])
  })

  describe('a removed note', () => {
    scenario('is found by nobody after the store was opened again', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice()
      unwrap(await t.store.notes.remove(unwrap(await add(t, id)).id))
      await t.harness.reopen()
      assert.deepEqual(await t.store.notes.ofInvoice(id), [])
      assert.deepEqual((await t.store.notes.page({ after: null, limit: 9 })).items, [])
    })
  })
}
