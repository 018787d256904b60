import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { AuditRecord } from '../../src/domain/audit.js'
import { deferred } from '../support/deferred.js'
import { testKey } from '../support/signing.js'
import { command, inDirectory, serving } from './served.js'

/** Sends a request through the socket of a directory as any program may. */
async function throughSocket(directory: string, method: string, path: string, body: unknown = {}): Promise<string> {
  const { promise, resolve, reject } = deferred<string>()
  const request = httpRequest({ socketPath: join(directory, 'admin.sock'), method, path }, (response) => {
    response.toArray().then((chunks) => resolve(Buffer.concat(chunks).toString('utf8')), reject)
  })
  request.on('error', reject)
  request.end(JSON.stringify(body))
  return await promise
}

async function listed(directory: string, ...flags: readonly string[]): Promise<readonly AuditRecord[]> {
  const { code, stdout, stderr } = await command('audit', 'list', '--json', '--data', directory, ...flags)
  assert.deepEqual([code, stderr], [0, ''])
  return stdout === ''
    ? []
    : stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

/** Action, owner, subject, outcome and detail of records. */
function told(records: readonly AuditRecord[]) {
  return records.map(({ action, owner, subject, outcome, detail }) => [action, owner, subject, outcome, detail])
}

/** A key as an export has it. */
function exportedKey(n: number): Record<string, unknown> & { readonly id: string; readonly owner: string } {
  const id = n.toString(16).padStart(16, '0')
  const { publicKeyHex } = testKey(`key ${n}`)
  const rest = { label: 'shop', permissions: 'invoices:create', expires_at: null, revoked_at: null, created_at: 1 }
  return { id, owner: `owner-${n}`, public_key: publicKeyHex, ...rest }
}

describe('what an operator does on the command line', () => {
  test(
    'is done through a running service and leaves its trace there, with who, what and from where',
    inDirectory(async (directory) => {
      const { service } = await serving(directory, '--sandbox')
      const [one, other] = [exportedKey(1), exportedKey(2)]
      const file = join(directory, 'keys.ndjson')
      writeFileSync(file, `${JSON.stringify(one)}\n${JSON.stringify(other)}\n{"no":"record"}\n`)
      assert.equal((await command('import', file, '--data', directory)).code, 1)

      const revoked = await command('keys', 'revoke', one.id, '--data', directory)
      assert.deepEqual([revoked.code, revoked.stderr], [0, ''])
      assert.match(revoked.stdout, /^The key 0{15}1 of owner-1 is revoked since \d{4}-\S+Z\.\n$/)
      const again = await command('keys', 'revoke', one.id, '--json', '--data', directory)
      const { revoked_at: at } = JSON.parse(again.stdout)
      assert.ok(revoked.stdout.includes(new Date(at).toISOString()))
      const unknown = await command('keys', 'revoke', 'f'.repeat(16), '--data', directory)
      assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
      assert.match(unknown.stderr, /api_key_not_found/)
      assert.match((await command('deliveries', 'redeliver', 'd', '--data', directory)).stderr, /delivery_not_found/)
      // What another program does there is traced, too. Its secret is not.
      const webhook = JSON.parse(
        await throughSocket(directory, 'PUT', '/api/users/owner-2/webhook', {
          callbackUrl: 'https://shop.example/hook',
        }),
      )
      const { secret } = JSON.parse(await throughSocket(directory, 'POST', '/api/users/owner-2/webhook/rotate'))
      assert.ok(typeof secret === 'string' && secret !== '', JSON.stringify(webhook))

      const records = await listed(directory)
      assert.deepEqual(told(records), [
        ['webhook.rotate', 'owner-2', null, 'done', null],
        ['webhook.set', 'owner-2', null, 'done', null],
        ['delivery.redeliver', null, 'd', 'refused', 'delivery_not_found'],
        ['key.revoke', null, 'f'.repeat(16), 'refused', 'api_key_not_found'],
        ['key.revoke', 'owner-1', one.id, 'done', 'nothing changed'],
        ['key.revoke', 'owner-1', one.id, 'done', null],
        ['import', null, file, 'done', '2 added, 0 known already, 1 refused'],
      ])
      assert.deepEqual(
        new Set(records.slice(0, 2).map(({ who, from }) => `${who}, ${from}`)),
        new Set(['unknown, admin.sock']),
      )
      for (const { who, from } of records.slice(2)) {
        assert.ok(who.startsWith(`${userInfo().username} (uid `), who)
        assert.match(from, /^command line on ./)
      }
      assert.deepEqual(await listed(directory, '--owner', 'owner-1'), records.slice(4, 6))
      assert.deepEqual(
        await listed(directory, '--since', new Date(records[3]?.at ?? 0).toISOString()),
        records.slice(0, 4),
      )
      const exported = await command('export', 'audit', '--data', directory)
      assert.deepEqual(
        exported.stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
        records,
      )

      service.kill('SIGTERM')
      const { stderr } = await service.ended
      const lines = stderr
        .split('\n')
        .filter((line) => line.includes('"msg":"audit"'))
        .map((line) => JSON.parse(line))
      assert.deepEqual(
        lines.map(({ id }) => id).reverse(),
        records.map(({ id }) => id),
      )
      assert.equal(stderr.includes(secret) || exported.stdout.includes(secret), false)
    }),
  )

  test(
    'leaves its trace without a running service, too, and is one record however large an import is',
    inDirectory(async (parent) => {
      const directory = join(parent, 'data')
      mkdirSync(directory)
      const file = join(parent, 'keys.ndjson')
      const keys = Array.from({ length: 1001 }, (_, n) => exportedKey(n))
      // More of them than go into a request, so that one of the requests would have no record.
      const nonsense = Array.from({ length: 1000 }, () => 'no JSON')
      const lines = [...nonsense, ...keys.map((key) => JSON.stringify(key)), 'no JSON']
      writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
      assert.equal((await command('import', file, '--data', directory)).code, 1)
      const revoked = await command('keys', 'revoke', keys[7]?.id ?? '', '--data', directory)
      assert.deepEqual([revoked.code, revoked.stderr], [0, ''])
      const records = await listed(directory)
      assert.deepEqual(told(records), [
        ['key.revoke', 'owner-7', keys[7]?.id, 'done', null],
        ['import', null, file, 'done', '1001 added, 0 known already, 1001 refused'],
      ])
    }),
  )

  test(
    'is a revocation of all keys of an owner, with a record for each',
    inDirectory(async (parent) => {
      const directory = join(parent, 'data')
      mkdirSync(directory)
      const file = join(parent, 'keys.ndjson')
      const mine = [1, 2, 3].map((n) => ({ ...exportedKey(n), owner: 'shop' }))
      const gone = { ...exportedKey(4), owner: 'shop', revoked_at: 5 }
      const lines = [...mine, gone, exportedKey(5)].map((key) => `${JSON.stringify(key)}\n`)
      writeFileSync(file, lines.join(''))
      assert.equal((await command('import', file, '--data', directory)).code, 0)
      const revoked = await command('keys', 'revoke', '--owner', 'shop', '--data', directory)
      assert.deepEqual([revoked.code, revoked.stderr], [0, ''])
      assert.equal(revoked.stdout.split('\n').filter((line) => line.includes(' of shop is revoked since ')).length, 3)
      const ids = (await listed(directory, '--owner', 'shop')).map(({ subject }) => subject)
      assert.deepEqual(new Set(ids), new Set(mine.map(({ id }) => id)))
      const left = await command('keys', 'list', '--json', '--data', directory)
      const active = left.stdout.split('\n').filter((line) => line.includes('"revoked_at":null'))
      assert.deepEqual(
        active.map((line) => JSON.parse(line).owner),
        ['owner-5'],
      )
      const again = await command('keys', 'revoke', '--owner', 'shop', '--data', directory)
      assert.deepEqual([again.code, again.stdout], [0, 'shop has no key that is not revoked.\n'])
      const nothing = await command('keys', 'revoke', '--data', directory)
      const both = await command('keys', 'revoke', 'x', '--owner', 'shop', '--data', directory)
      for (const { code, stderr } of [nothing, both]) {
        assert.equal(code, 2)
        assert.match(stderr, /Give the id of a key, or --owner/)
      }
    }),
  )
})

test('the time from which on records are listed must be one', async () => {
  for (const time of ['yesterday', '2026-13-01', '2026-11-26T03:00', '1764126000000', '']) {
    const { code, stderr } = await command('audit', 'list', '--since', time)
    assert.equal(code, 2, time)
    assert.match(stderr, /^--since must be a time such as /)
  }
})
