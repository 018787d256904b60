import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AdminParts, adminHandlers } from '../../../src/http/routes/admin.js'
import { callRoute } from './call-route.js'

const unused = () => assert.fail('it is not asked for')

/** Nobody asks for records with these parameters. */
const PARTS: AdminParts = {
  status: unused,
  examine: unused,
  operatorOf: unused,
  add: unused,
  revokeKey: unused,
  redeliver: unused,
  putBack: unused,
  addNote: unused,
  removeNote: unused,
  addIdentity: unused,
  derivedSeries: unused,
  addDerived: unused,
  records: unused,
  report: unused,
}

for (const query of [
  'since=abc',
  'since=',
  'since=-1',
  'since=1e3',
  'since=1700000000000.5',
  'order=oldest',
  'order=',
]) {
  test(`records are refused to ${query}, and none are listed instead`, async () => {
    const path = '/admin/records/audit'
    const { status, body } = await callRoute(adminHandlers(PARTS), 'GET', path, { query }, { access: 'trusted' })
    const { code, field } = body as { code: string; field: string }
    assert.deepEqual([status, code, field], [400, 'invalid_query', query.split('=')[0]])
  })
}
