import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AuditEnd, AuditedAction } from '../../../src/domain/audit.js'
import { failure, unchanged } from '../../../src/domain/failure.js'
import { endpoints } from '../../../src/http/endpoints.js'
import { audited, type OperatorTrail } from '../../../src/http/guards/audited.js'
import { failureAnswer, jsonAnswer, outcomeAnswer } from '../../../src/http/json.js'
import type { Answer, Request } from '../../../src/http/server.js'

const OPERATOR = { who: 'root (uid 0)', from: 'admin.sock' }

test('whatever operators can change through the API leaves a trace, and nothing else does', () => {
  const untraced: string[] = []
  const traced: string[] = []
  for (const [tag, { access, action }] of Object.entries(endpoints)) {
    // Their handlers leave the traces, which know more: sessions, and what belongs together.
    if (access === 'admin' || access === 'console') continue
    const isRead = tag.startsWith('GET ') && !tag.startsWith('GET /api/wallets/claim/')
    if (!isRead && action === undefined) untraced.push(tag)
    if (isRead && action !== undefined) traced.push(tag)
  }
  assert.deepEqual({ untraced, traced }, { untraced: [], traced: [] })
})

describe('the trace of a request', () => {
  /** What a request of `path` and `body` that is answered so leaves. */
  async function traceOf(path: string, body: unknown, answer: Answer, params: Readonly<Record<string, string>> = {}) {
    const traces: (AuditedAction & { readonly end: AuditEnd })[] = []
    const trail: OperatorTrail['trail'] = {
      follow: async (action, work, endOf) => {
        const value = await work('r1')
        traces.push({ ...action, end: endOf(value) })
        return value
      },
    }
    const request: Request = {
      ...{ method: 'POST', path, query: '', requestId: '', aborted: false },
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      header: () => undefined,
      remoteAddress: () => '',
    }
    const handle = audited({ action: 'a.b' }, () => answer, { trail, operatorOf: () => OPERATOR })
    assert.equal(await handle(request, params, null), answer)
    const [{ end, ...action } = assert.fail('no trace')] = traces
    return { ...action, ...end }
  }

  const about = (owner: string | null, subject: string | null) => ({ ...OPERATOR, action: 'a.b', owner, subject })
  const done = { outcome: 'done', detail: null }

  test('names whose affairs it is about, and what of them', async () => {
    const ok = jsonAnswer(200, {})
    assert.deepEqual(await traceOf('/api/users/alice/webhook', '', ok, { id: 'alice' }), {
      ...about('alice', null),
      ...done,
    })
    const of = { id: 'alice', deliveryId: 'd1' }
    assert.deepEqual(await traceOf('/api/users/alice/webhook/deliveries/d1/redeliver', '', ok, of), {
      ...about('alice', 'd1'),
      ...done,
    })
    const voided = await traceOf('/api/invoices/i1/void', { owner: 'alice' }, ok, { id: 'i1' })
    assert.deepEqual(voided, { ...about('alice', 'i1'), ...done })
    assert.deepEqual(await traceOf('/api/invoices/i1/void', 'no JSON', ok, { id: 'i1' }), {
      ...about(null, 'i1'),
      ...done,
    })
    assert.deepEqual(await traceOf('/api/invoices', { owner: 7 }, ok), { ...about(null, null), ...done })
  })

  test('says what was created or why it was refused, and never a secret', async () => {
    const created = await traceOf('/api/invoices', { owner: 'alice' }, jsonAnswer(201, { id: 'i1', secret: 's3cret' }))
    assert.deepEqual(created, { ...about('alice', null), outcome: 'done', detail: 'i1' })
    const rotated = await traceOf('/api/users/alice/webhook/rotate', '', jsonAnswer(200, { secret: 's3cret' }), {
      id: 'alice',
    })
    assert.deepEqual(rotated, { ...about('alice', null), ...done })
    const repeated = await traceOf('/api/orders/o1/void', { owner: 'alice' }, outcomeAnswer(200, unchanged({})), {
      id: 'o1',
    })
    assert.deepEqual(repeated, { ...about('alice', 'o1'), outcome: 'done', detail: 'nothing changed' })
    const refused = await traceOf('/api/invoices', {}, failureAnswer(failure('invalid_invoice')))
    assert.deepEqual(refused, { ...about(null, null), outcome: 'refused', detail: 'invalid_invoice' })
    const failed = await traceOf('/api/invoices', {}, failureAnswer(failure('storage_unavailable')))
    assert.deepEqual(failed, { ...about(null, null), outcome: 'failed', detail: 'storage_unavailable' })
    const odd = await traceOf('/api/invoices', {}, { status: 404, headers: {}, body: 'no JSON' })
    assert.deepEqual(odd, { ...about(null, null), outcome: 'refused', detail: '404' })
  })
})
