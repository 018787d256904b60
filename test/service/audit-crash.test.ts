import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ApiKey } from '../../src/domain/api-key.js'
import type { AuditRecord } from '../../src/domain/audit.js'
import type { WorkRecord } from '../../src/http/routes/work-answer.js'
import { deferred } from '../support/deferred.js'
import { createDatabase } from '../support/postgres-harness.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { ServiceProcess } from '../support/service-process.js'
import { testKey } from '../support/signing.js'
import { memoryDirectory } from '../support/temporary-directory.js'

const ROUNDS = 2
const KEYS_OF_ROUND = 30
/** Answers after which the service is killed: some revocations are over then, some under way, and some have not begun. */
const ANSWERED = 8
/** Fewer than the socket takes. */
const AT_ONCE = 12

const server = await postgresForTests({ isDurable: true })

const STORES = {
  'a data directory': { skip: false, address: async () => 'lmdb' },
  PostgreSQL: {
    skip: server === null ? 'there is no PostgreSQL' : false,
    address: () => createDatabase(server ?? assert.fail()),
  },
} as const

/** The socket of a directory. */
class Socket {
  private readonly agent = new Agent({ maxSockets: AT_ONCE })

  constructor(private readonly directory: string) {}

  /** The answer; null when the service died before it. */
  async ask(method: string, path: string, body?: unknown): Promise<{ status: number; text: string } | null> {
    const { promise, resolve } = deferred<{ status: number; text: string } | null>()
    const socketPath = join(this.directory, 'admin.sock')
    const asked = request({ socketPath, method, path, agent: this.agent }, (response) => {
      response.toArray().then(
        (chunks) => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        () => resolve(null),
      )
    })
    asked.on('error', () => resolve(null))
    asked.end(body === undefined ? undefined : JSON.stringify(body))
    return await promise
  }

  async all<T>(kind: string): Promise<readonly T[]> {
    const answer = (await this.ask('GET', `/admin/records/${kind}`)) ?? assert.fail('no answer')
    const records = answer.text
      .trimEnd()
      .split('\n')
      .map((line): WorkRecord => JSON.parse(line))
    assert.equal(records.at(-1)?.type, 'done')
    return records.flatMap((record) => (record.type === 'item' ? [record.item as T] : []))
  }
}

for (const [name, { skip, address }] of Object.entries(STORES)) {
  test(`no revocation is without its trace on ${name}, and none is traced as done that is not, whenever the service is killed`, {
    skip,
    timeout: 120_000,
  }, async (t) => {
    const place = memoryDirectory()
    const environment = { BILLHOOK_STORE: await address() }
    let service = await ServiceProcess.start(place.path, environment)
    t.after(async () => {
      await service.end('SIGKILL')
      place.remove()
    })
    const socket = new Socket(place.path)
    const ids = Array.from({ length: ROUNDS * KEYS_OF_ROUND }, (_, n) => (n + 1).toString(16).padStart(16, '0'))
    const records = ids.map((id) => {
      const rest = { label: 'shop', permissions: 'invoices:create', expires_at: null, revoked_at: null, created_at: 1 }
      return { id, owner: `owner-${id}`, public_key: testKey(id).publicKeyHex, ...rest }
    })
    assert.equal((await socket.ask('POST', '/admin/import', { records }))?.status, 200)

    const acknowledged: string[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const enough = deferred<void>()
      const asked = ids.slice(round * KEYS_OF_ROUND, (round + 1) * KEYS_OF_ROUND).map(async (id) => {
        const answer = await socket.ask('POST', `/admin/keys/${id}/revoke`)
        if (answer !== null) assert.equal(answer.status, 200)
        if (answer !== null && acknowledged.push(id) >= (round + 1) * ANSWERED) enough.resolve()
      })
      await enough.promise
      await service.end('SIGKILL')
      await Promise.all(asked)
      service = await ServiceProcess.start(place.path, environment)
    }

    const isRevoked = (key: ApiKey) => key.revoked_at !== null
    const revoked = (await socket.all<ApiKey>('keys')).filter(isRevoked).map(({ id }) => id)
    const traces = (await socket.all<AuditRecord>('audit')).filter(({ action }) => action === 'key.revoke')
    const done = traces.filter(({ outcome }) => outcome === 'done').map(({ subject }) => subject)
    assert.deepEqual([...done].sort(), [...revoked].sort())
    assert.deepEqual(
      acknowledged.filter((id) => !revoked.includes(id)),
      [],
    )
    assert.ok(traces.every(({ outcome }) => outcome === 'done' || outcome === null))
    assert.ok(revoked.length < ids.length, 'the service was killed too late to show anything')
  })
}
