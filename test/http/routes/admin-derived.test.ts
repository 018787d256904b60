import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LedgerlessActions } from '../../../src/audit/ledgerless-actions.js'
import { AuditTrail } from '../../../src/audit/trail.js'
import { DERIVED_COUNT_MAX, DERIVED_INDEX_MAX, type DerivedWallets } from '../../../src/domain/derived-wallet.js'
import { type AdminParts, adminHandlers } from '../../../src/http/routes/admin.js'
import { openStoreAt } from '../../support/lmdb-fixture.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'
import { callRoute } from './call-route.js'

const KEY = '0123456789abcdef'
const OPERATOR = { who: 'somebody', from: 'here' }
const GOOD = { network: 'SEP', owner: 'alice', first: 0, addresses: ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'] }
const unused = () => assert.fail('it is not asked for')

describe('derived wallets are taken', () => {
  const asked: DerivedWallets[] = []
  const parts: AdminParts = {
    ...{
      status: unused,
      examine: unused,
      add: unused,
      revokeKey: unused,
      redeliver: unused,
      putBack: unused,
      addNote: unused,
      removeNote: unused,
    },
    ...{ addIdentity: unused, records: unused, report: unused },
    operatorOf: () => OPERATOR,
    derivedSeries: async () => [{ network: 'SEP', kind: 'evm', next: 7, isReported: true }],
    addDerived: async (_operator, derived) => {
      asked.push(derived)
      return { ok: true, value: derived.addresses.map(() => ({ status: 'added' })) }
    },
  }
  const call = (method: 'GET' | 'POST', key: string, body?: unknown) => {
    const more = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }
    return callRoute(adminHandlers(parts), method, `/admin/derived-wallets/${key}`, more, { access: 'trusted' })
  }

  test('as a command sends them, and it is told how far a key goes', async () => {
    assert.deepEqual((await call('GET', KEY)).body, {
      series: [{ network: 'SEP', kind: 'evm', next: 7, isReported: true }],
    })
    const { status, body } = await call('POST', KEY, GOOD)
    assert.deepEqual(
      [status, body, asked.splice(0)],
      [200, { outcomes: [{ status: 'added' }] }, [{ keyName: KEY, ...GOOD }]],
    )
  })

  test('and nothing else is', async () => {
    assert.equal((await call('GET', 'xpub6C')).status, 404)
    const wrong: readonly unknown[] = [
      [],
      { ...GOOD, network: 1 },
      { ...GOOD, owner: null },
      { ...GOOD, first: '0' },
      { ...GOOD, first: 0.5 },
      { ...GOOD, addresses: 'x' },
      { ...GOOD, addresses: [] },
      { ...GOOD, addresses: [1] },
      { ...GOOD, addresses: new Array<string>(DERIVED_COUNT_MAX + 1).fill('x') },
    ]
    for (const body of wrong) {
      const answer = await call('POST', KEY, body)
      assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 100))
    }
    assert.equal((await call('POST', 'xpub6C', GOOD)).status, 400)
    assert.deepEqual(asked, [])
  })
})

test('derived wallets of which one cannot be written are not answered, and the next time goes on behind those on disk', async () => {
  const { path, remove } = temporaryDirectory()
  const store = await openStoreAt(path)
  try {
    const trail = new AuditTrail({ audit: store.audit, log: { info: () => {}, error: () => {} } })
    let left = 2
    /** Fails as a full disk does, behind the first two wallets. */
    const ledger: Pick<typeof store.ledger, 'applyFacts'> = {
      applyFacts: async (batch) => {
        const fates = await store.ledger.applyFacts(batch.slice(0, left))
        const reason = new Error('the disk is full')
        return [...fates, ...batch.slice(left).map(() => ({ status: 'rejected', reason }) as const)]
      },
    }
    const identities = { exists: async () => true as const }
    const parts = { wallets: store.wallets, networks: store.networks, ledger }
    const actions = new LedgerlessActions({ store: parts, identities, trail })
    const next = async () => (await actions.seriesOf(KEY)).map((one) => `${one.network} ${one.kind} ${one.next}`)
    const add = (first: number, count: number) =>
      actions.addDerived(OPERATOR, {
        ...{ keyName: KEY, network: 'SEP', owner: 'alice', first },
        addresses: Array.from({ length: count }, (_, i) => `0x${String(first + i).padStart(40, '0')}`),
      })
    await assert.rejects(add(0, 4), /the disk is full/)
    assert.deepEqual(await next(), ['SEP evm 2', 'TRX-NILE tron 0', 'BNB evm 0'])
    left = 4
    const rest = await add(2, 2)
    assert.deepEqual(rest, { ok: true, value: [{ status: 'added' }, { status: 'added' }] })
    assert.deepEqual(await next(), ['SEP evm 4', 'TRX-NILE tron 0', 'BNB evm 0'])
    const beyond = await add(DERIVED_INDEX_MAX, 2)
    assert.deepEqual(beyond.ok ? null : beyond.failure.code, 'malformed_request')
    const { items } = await store.audit.page({ after: null, limit: 10 })
    assert.deepEqual(
      items.map(({ outcome, detail }) => `${outcome} ${detail}`),
      ['done 2 added, 0 known already, 0 refused', 'failed Error'],
    )
  } finally {
    await store.close()
    remove()
  }
})
