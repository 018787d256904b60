import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { NOTE_LENGTH_MAX, NOTES_MAX } from '../../src/domain/note.js'
import { createLog, type Log } from '../../src/log.js'
import { ConsoleFixture, OWNER, tablesOf, type Visited, WALLET } from './console-fixture.js'
import { formIn } from './forms.js'

const HOSTILE = '</td></table><script>alert(1)</script>"\'&lt;\u202etxt.exe'
const EMOJI = '\u{1f600}'
const PASSWORD = 'a long password of the operator'

/** A note as the page of its invoice shows it. */
interface Noted {
  readonly id: string
  readonly who: string
  /** HTML. */
  readonly text: string
}

const NOTE =
  /data-title="Who"><span><bdi>(.*?)<\/bdi>.*?data-title="Note" class="lines"><span><bdi>(.*?)<\/bdi>.*?\/console\/notes\/([0-9a-f]{32})\/remove/gs

function notesIn({ html }: Visited): readonly Noted[] {
  return [...html.matchAll(NOTE)].map(([, who = '', text = '', id = '']) => ({ id, who, text }))
}

async function withInvoice(t: TestContext, log?: Log) {
  const console = await ConsoleFixture.start(t, {}, undefined, log)
  await console.service.assign(OWNER, WALLET)
  const id = await console.invoice()
  const path = `/console/invoices/${id}`
  const form = async () => formIn((await console.page(path)).html, `${id}/notes`)
  const write = async (text: string, headers = {}) => {
    const { path: to, fields } = await form()
    return await console.visit(to, { ...fields, text }, headers)
  }
  const notes = async () => notesIn(await console.page(path))
  return { console, id, path, form, write, notes }
}

describe('notes in the console', () => {
  test('are shown with who wrote them and when, oldest first, and in the timeline', async (t) => {
    const { console, path, write } = await withInvoice(t)
    for (const text of ['The payer called.\r\nPaid from an exchange.', 'Refunded.']) {
      const done = await write(text)
      assert.deepEqual([done.status, done.headers.get('location')], [303, `${path}?done=noted`])
    }
    const page = await console.page(`${path}?done=noted`)
    assert.ok(page.text.includes('The note is kept.'))
    const [first, second] = notesIn(page)
    assert.match(first?.who ?? '', /^console session [0-9a-f]{8}$/)
    assert.equal(first?.text, 'The payer called.\nPaid from an exchange.')
    assert.deepEqual([second?.who, second?.text], [first?.who, 'Refunded.'])
    const [noted, timeline] = tablesOf(page.html).slice(-2)
    const time = noted?.rows[0]?.[0] ?? ''
    assert.match(time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.deepEqual(timeline?.rows.slice(1), [
      [time, `Note of ${first?.who}: The payer called.…`],
      [noted?.rows[1]?.[0], `Note of ${first?.who}: Refunded.`],
    ])
  })

  test('are text, whatever they contain', async (t) => {
    const { console, path, write } = await withInvoice(t)
    assert.equal((await write(HOSTILE)).status, 303)
    const { html } = await console.page(path)
    assert.ok(!html.includes('<script'))
    const escaped = '&lt;/td&gt;&lt;/table&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;lt;\u202etxt.exe'
    // What changes the order of letters ends with its element.
    assert.ok(html.includes(`<bdi>${escaped}</bdi>`))
  })

  test('take as many characters as they may have, whatever the bytes, and give back what is refused', async (t) => {
    const { write, notes } = await withInvoice(t)
    for (const text of ['x'.repeat(NOTE_LENGTH_MAX), EMOJI.repeat(NOTE_LENGTH_MAX)]) {
      assert.equal((await write(text)).status, 303)
    }
    for (const text of [
      `${HOSTILE}${'x'.repeat(NOTE_LENGTH_MAX)}`,
      EMOJI.repeat(NOTE_LENGTH_MAX + 1),
      'an escape \u001b[2J',
      '\u200b',
    ]) {
      const refused = await write(text)
      assert.equal(refused.status, 400)
      assert.match(refused.headers.get('content-type') ?? '', /^text\/html/)
      assert.ok(refused.text.includes('A note has 1 to 2000 characters'))
      assert.ok(!refused.html.includes('<script'))
      const [, written = ''] = /<textarea id="written"[^>]*>\n(.*?)<\/textarea>/s.exec(refused.html) ?? []
      assert.equal(written.includes(text.slice(-10)), true)
    }
    assert.equal((await write('')).status, 400)
    assert.deepEqual(
      (await notes()).map(({ text }) => text),
      ['x'.repeat(NOTE_LENGTH_MAX), EMOJI.repeat(NOTE_LENGTH_MAX)],
    )
  })

  test('are kept when two people write at once, and end at their number', async (t) => {
    const { console, path, form, notes } = await withInvoice(t)
    const { path: to, fields } = await form()
    const both = await Promise.all(['one', 'other'].map((text) => console.visit(to, { ...fields, text })))
    assert.deepEqual(
      both.map(({ status }) => status),
      [303, 303],
    )
    for (let n = 2; n < NOTES_MAX; n += 1) {
      assert.equal((await console.visit(to, { ...fields, text: `${n}` })).status, 303)
    }
    const full = await console.page(path)
    assert.ok(!full.html.includes('/notes"'))
    assert.ok(full.text.includes(`An invoice has ${NOTES_MAX} notes at most.`))
    const refused = await console.visit(to, { ...fields, text: 'one too many' })
    assert.equal(refused.status, 409)
    assert.ok(refused.text.includes('one too many'))
    assert.equal((await notes()).length, NOTES_MAX)
  })

  test('are removed for good, and say so', async (t) => {
    const { console, path, write, notes } = await withInvoice(t)
    await write('a wrong note')
    await write('a right note')
    const [wrong] = await notes()
    const form = formIn((await console.page(path)).html, `${wrong?.id}/remove`)
    const done = await console.visit(form.path, form.fields)
    assert.deepEqual([done.status, done.headers.get('location')], [303, `${path}?done=unnoted`])
    const page = await console.page(`${path}?done=unnoted`)
    assert.ok(page.text.includes('The note is removed.'))
    assert.ok(!page.text.includes('a wrong note'))
    assert.equal((await console.visit(form.path, form.fields)).status, 404)
    assert.deepEqual(
      (await notes()).map(({ text }) => text),
      ['a right note'],
    )
  })

  for (const [what, fields, headers] of [
    ['without a token', { token: '' }, {}],
    ['without a session', {}, { cookie: '' }],
    ['of another origin', {}, { origin: 'https://evil.example' }],
    ['of an opaque origin', {}, { origin: 'null' }],
    ['of another site', {}, { 'sec-fetch-site': 'cross-site' }],
  ] as const) {
    test(`are neither written nor removed ${what}`, async (t) => {
      const { console, path, form, write, notes } = await withInvoice(t)
      await write('kept')
      const { html } = await console.page(path)
      const [kept] = await notes()
      for (const one of [await form(), formIn(html, `${kept?.id}/remove`)]) {
        const refused = await console.visit(one.path, { ...one.fields, text: 'forged', ...fields }, headers)
        assert.equal(refused.status, 403, one.path)
      }
      assert.deepEqual(await notes(), [kept])
    })
  }

  test('are of the invoice and the action that their form is of, and of no unknown one', async (t) => {
    const { console, form, write, notes, id } = await withInvoice(t)
    await write('kept')
    const [kept] = await notes()
    const { fields } = await form()
    const other = await console.invoice({ amount: '11' })
    for (const path of [`invoices/${other}/notes`, `invoices/${'f'.repeat(32)}/notes`, `notes/${kept?.id}/remove`]) {
      assert.equal((await console.visit(`/console/${path}`, { ...fields, text: 'x' })).status, 403, path)
    }
    assert.equal((await console.visit(`/console/invoices/${id}/notes?text=x`)).status, 405)
    assert.deepEqual(await notes(), [kept])
    assert.deepEqual(notesIn(await console.page(`/console/invoices/${other}`)), [])
  })

  test('are asked a password for, and give back what was written in a session that is over', async (t) => {
    const environment = { BILLHOOK_CONSOLE_PASSWORD: PASSWORD }
    const console = await ConsoleFixture.start(t, environment)
    await console.service.assign(OWNER, WALLET)
    const id = await console.invoice()
    const path = `/console/invoices/${id}`
    assert.equal((await console.visit(path)).headers.get('location'), '/console/sign-in')
    assert.equal((await console.visit('/console/sign-in', { password: PASSWORD })).status, 303)
    const { path: to, fields } = formIn((await console.page(path)).html, `${id}/notes`)
    const out = formIn((await console.page('/console')).html, '/sign-out')
    assert.equal((await console.visit(out.path, out.fields)).status, 303)
    const late = await console.visit(to, { ...fields, text: `long ${HOSTILE}` })
    assert.equal(late.status, 403)
    assert.ok(late.text.includes('of an earlier session'))
    assert.ok(late.html.includes('long &lt;/td&gt;') && !late.html.includes('<script'))
    assert.equal((await console.visit('/console/sign-in', { password: PASSWORD })).status, 303)
    assert.deepEqual(notesIn(await console.page(path)), [])
  })

  test('leave a trace that does not repeat them', async (t) => {
    const lines: Record<string, unknown>[] = []
    const log = createLog('trace', { write: (line) => lines.push(JSON.parse(line)) })
    const { console, id, path, write, notes } = await withInvoice(t, log)
    await write('the customer is Erika Mustermann')
    await write('\u200b')
    const [note] = await notes()
    const form = formIn((await console.page(path)).html, `${note?.id}/remove`)
    assert.equal((await console.visit(form.path, form.fields)).status, 303)
    const audit = lines.filter(({ msg }) => msg === 'audit')
    assert.deepEqual(
      audit.map(({ who, action, owner, subject, outcome, detail }) => [who, action, owner, subject, outcome, detail]),
      [
        [note?.who, 'note.add', OWNER, id, 'done', null],
        [note?.who, 'note.add', OWNER, id, 'refused', 'invalid_note'],
        [note?.who, 'note.remove', OWNER, `${id} ${note?.id}`, 'done', null],
      ],
    )
    assert.ok(!JSON.stringify(lines).includes('Mustermann'))
  })

  test('are seen by nobody but operators', async (t) => {
    const { console, id, write } = await withInvoice(t)
    await write('a secret of support')
    for (const path of [
      `/pay/${id}`,
      `/api/invoices/${id}`,
      `/api/users/${OWNER}/invoices?include=payment`,
      `/api/users/${OWNER}/events`,
    ]) {
      const { status, text } = await console.service.get(path)
      assert.equal(status, 200, path)
      assert.ok(!text.includes('secret of support'), path)
    }
    assert.equal((await console.service.post(`/admin/invoices/${id}/notes`, { text: 'x' })).status, 404)
  })
})
