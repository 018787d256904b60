import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { parseDatabaseAddress } from '../../src/base/database-address.js'

interface Reached {
  readonly host: string
  readonly port: number
  readonly database: string | undefined
  readonly user: string | undefined
  readonly password: string | null
}

/** What the driver makes of each server of an address. */
function reachedBy(text: string): readonly Partial<Reached>[] {
  const address = parseDatabaseAddress(text)
  assert.ok(address !== undefined, text)
  return address.servers.map((server) => {
    const { host, port, database, user, password } = new pg.Client({ connectionString: server })
    return { host, port, database, user, password: password ?? null }
  })
}

test('an address names each of its servers, with the same credentials, database and options', () => {
  const text = 'postgres://app:secret@one:5433,two,[::1]:6432/billhook?options=-c%20lock_timeout%3D5s&sslmode=disable'
  const common = { database: 'billhook', user: 'app', password: 'secret' }
  assert.deepEqual(reachedBy(text), [
    { host: 'one', port: 5433, ...common },
    { host: 'two', port: 5432, ...common },
    { host: '::1', port: 6432, ...common },
  ])
  for (const server of parseDatabaseAddress(text)?.servers ?? []) {
    assert.ok(server.endsWith('/billhook?options=-c%20lock_timeout%3D5s&sslmode=disable'), server)
  }
})

/** User, password and how they stand in an address. */
const CREDENTIALS: readonly (readonly [user: string, password: string | null, written: string])[] = [
  ['app', null, 'app'],
  ['app', 'a:b', 'app:a:b'],
  ['app', 'p@ss', 'app:p@ss'],
  ['app', '@', 'app:@'],
  ['app', 'a@b@c', 'app:a@b@c'],
  ['app@tenant', 'x', 'app%40tenant:x'],
  ['app', '/?#@:, %', 'app:%2F%3F%23%40%3A%2C%20%25'],
  ['app', 'a,b', 'app:a,b'],
  ['ünï', 'pässwörd', '%C3%BCn%C3%AF:p%C3%A4ssw%C3%B6rd'],
]

for (const [user, password, written] of CREDENTIALS) {
  test(`the credentials ${written} reach the driver, and the text for people shows none of them`, () => {
    const text = `postgresql://${written}@one,two:5433/billhook`
    assert.deepEqual(
      reachedBy(text).map((server) => [server.host, server.user, server.password]),
      [
        ['one', user, password],
        ['two', user, password],
      ],
    )
    assert.equal(parseDatabaseAddress(text)?.shown, 'postgresql://one,two:5433/billhook')
  })
}

test('the text for people shows no options, which may hold a password', () => {
  assert.equal(parseDatabaseAddress('postgres://one/billhook?password=secret')?.shown, 'postgres://one/billhook')
})

/** Addresses that leave out what the driver has a default for, or name a socket. */
const SHORT: readonly (readonly [text: string, reached: Partial<Reached>])[] = [
  ['postgres://one', { host: 'one', port: 5432 }],
  ['postgres://one/', { host: 'one', port: 5432 }],
  ['postgres://one?sslmode=disable', { host: 'one', port: 5432 }],
  ['postgres://one:7000/billhook', { host: 'one', port: 7000, database: 'billhook' }],
  ['postgres://app@%2Frun%2Fpostgresql/billhook', { host: '/run/postgresql', user: 'app', database: 'billhook' }],
]

for (const [text, reached] of SHORT) {
  test(`${text} is an address`, () => {
    const [server] = reachedBy(text)
    assert.deepEqual({ ...server, ...reached }, server)
  })
}

const MALFORMED = [
  '',
  'lmdb',
  'one:5432/billhook',
  'mysql://one/billhook',
  'postgres:/one/billhook',
  'postgres:one',
  'postgres://one:port/billhook',
  'postgres://one:65536/billhook',
  'postgres://one:1:2/billhook',
  'postgres://o ne/billhook',
  'postgres://app@/billhook',
  'postgres:///billhook',
  // A server that was left out would be one on this machine.
  'postgres://one,/billhook',
  'postgres://,one/billhook',
  'postgres://one,,two/billhook',
  // What is not escaped would make part of the password a server, a database or an option.
  'postgres://app:12/34@one/billhook',
  'postgres://app:12?34@one/billhook',
  'postgres://app:12#34@one/billhook',
  'postgres://one/billhook#fragment',
  ' postgres://one/billhook',
  'postgres://one/bill\nhook',
]

for (const text of MALFORMED) {
  test(`${JSON.stringify(text)} is no address`, () => {
    assert.equal(parseDatabaseAddress(text), undefined)
  })
}
