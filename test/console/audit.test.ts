import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/log.js'
import { testKey } from '../support/signing.js'
import { ConsoleFixture, OWNER, WALLET } from './console-fixture.js'
import { formIn } from './forms.js'

const PASSWORD = 'a long password of the operator'

test('what is done in the console leaves a line and a record, with the session and the address', async (t) => {
  const lines: Record<string, unknown>[] = []
  // A level that spares the disk leaves no line out.
  const log = createLog('warn', { write: (line) => lines.push(JSON.parse(line)) })
  const environment = { BILLHOOK_CONSOLE_PASSWORD: PASSWORD, BILLHOOK_TRUSTED_PROXIES: '127.0.0.1/32' }
  const console = await ConsoleFixture.start(t, environment, undefined, log)
  const by = { 'x-forwarded-for': '2001:db8::7' }
  assert.equal((await console.visit('/console/sign-in', { password: 'wrong' }, by)).status, 403)
  assert.equal((await console.visit('/console/sign-in', { password: PASSWORD }, by)).status, 303)
  await console.service.assign(OWNER, WALLET)
  await console.service.register(OWNER, testKey('of a shop'))
  const id = await console.invoice({ amount: '10' })
  const submit = async (page: string, action: string) => {
    const form = formIn((await console.page(page)).html, action)
    return { path: form.path, status: (await console.visit(form.path, form.fields, by)).status, form }
  }
  const voided = await submit(`/console/invoices/${id}`, '/void')
  const revoked = await submit('/console/keys', '/revoke')
  assert.deepEqual([voided.status, revoked.status], [303, 303])
  const [, keyId = ''] = /keys\/([0-9a-f]{16})\/revoke/.exec(revoked.path) ?? []
  // A form of nobody's session is no action of an operator.
  assert.equal((await console.visit(voided.path, { token: 'forged' }, by)).status, 403)
  const out = formIn((await console.page('/console')).html, '/sign-out')
  assert.equal((await console.visit(out.path, out.fields, by)).status, 303)

  const audit = lines.filter(({ msg }) => msg === 'audit')
  const [, signedIn] = audit
  const who = String(signedIn?.['who'])
  assert.match(who, /^console session [0-9a-f]{8}$/)
  const shown = (name: string) => audit.map((line) => line[name])
  assert.deepEqual(shown('action'), [
    'console.sign-in',
    'console.sign-in',
    'invoice.void',
    'key.revoke',
    'console.sign-out',
  ])
  assert.deepEqual(shown('who'), ['unknown', who, who, who, who])
  assert.deepEqual(new Set(shown('from')), new Set(['2001:db8::7']))
  assert.deepEqual(shown('outcome'), ['refused', 'done', 'done', 'done', 'done'])
  assert.deepEqual(shown('owner'), [null, null, OWNER, OWNER, null])
  assert.deepEqual(shown('subject'), [null, null, id, keyId, null])
  assert.deepEqual(
    audit.map((line) => line['id'] !== null),
    [false, false, true, true, false],
  )
  assert.equal(JSON.stringify(lines).includes(PASSWORD), false)
})
