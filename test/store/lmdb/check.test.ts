import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { NUMBERS_KEY } from '../../../src/store/lmdb/commit/caches.js'
import { RATES_KEY } from '../../../src/store/lmdb/rates.js'
import {
  openEnvironment,
  openTables,
  type Table,
  type TableName,
  titleOf,
} from '../../../src/store/lmdb/tables/tables.js'
import { assertSound, checkData } from '../../support/check-data.js'
import { memoryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js'
import { fillEveryTable } from './full-store.js'

type Damage = (table: Table, rows: readonly { key: Buffer; value: Buffer }[]) => void

const remove: Damage = (table, [row]) => {
  assert.ok(row !== undefined)
  table.removeSync(row.key)
}

/** A row that is a copy of another, under a key of the same form where keys are of one length. */
const add: Damage = (table, rows) => {
  const row = rows.at(-1)
  assert.ok(row !== undefined)
  const key = Buffer.from(row.key)
  do key[key.length - 1] = ((key.at(-1) ?? 0) + 1) % 256
  while (table.doesExist(key))
  table.putSync(key, row.value)
}

/** A byte of the row differs: of its value, or of its key where it has no other. */
const alter: Damage = (table, [row]) => {
  assert.ok(row !== undefined)
  const [key, value] = [Buffer.from(row.key), Buffer.from(row.value)]
  if (value.length > 0) {
    value[value.length - 1] = (value.at(-1) ?? 0) ^ 0x41
  } else {
    table.removeSync(key)
    key[0] = (key[0] ?? 0) ^ 0x20
  }
  table.putSync(key, value)
}

/** The last byte of these means nothing: the lease of a wallet that has an owner. */
const ALTERED_ELSEWHERE: Readonly<Partial<Record<TableName, Damage>>> = {
  wallets: (table, [row]) => {
    assert.ok(row !== undefined)
    const value = Buffer.from(row.value)
    const at = value.length >> 1
    value[at] = (value[at] ?? 0) ^ 0x41
    table.putSync(row.key, value)
  },
}

const unreadable: Damage = (table, [row]) => {
  assert.ok(row !== undefined)
  table.putSync(row.key, Buffer.from([0xc1]))
}

const DAMAGES: Readonly<Record<string, Damage>> = { removed: remove, added: add, altered: alter, unreadable }

/** Damage that looks like another row that could be: nothing in the data contradicts it. */
const UNSEEN: Readonly<Partial<Record<TableName, readonly string[]>>> = {
  networks: ['added'],
  signedCreations: ['removed', 'added', 'altered'],
  // Its order number leads to it, if it has one, and is told instead.
  orderFields: ['removed'],
  // Its invoice leads to it, and is told instead. Any text could be one.
  notes: ['removed', 'altered'],
  watches: ['removed', 'added'],
  blocksAside: ['removed', 'added'],
  depositsAside: ['removed'],
  ledgerTaken: ['removed', 'added'],
  ledgerSetAside: ['removed', 'added'],
  identityKeys: ['removed'],
  ledgerDates: ['removed', 'altered'],
  webhooks: ['removed'],
  audit: ['removed', 'added'],
  // How far a wallet was examined: any of its keys could be.
  unsettledWallets: ['altered'],
  // The first row of a log says what was removed. Missing events have a test of their own.
  ownerEvents: ['removed', 'added'],
}

/** wallet no │ owner no │ set no, in `open-sets`. */
const SEVERAL_KEY_BYTES = 12

describe('a check of the data', () => {
  let place: TemporaryDirectory
  let names: readonly TableName[] = []
  let copies = 0

  before(async () => {
    place = memoryDirectory()
    const directory = join(place.path, 'whole')
    mkdirSync(directory)
    await fillEveryTable(directory)
    const root = openEnvironment(directory)
    const { root: _, ...tables } = openTables(root)
    names = Object.keys(tables) as TableName[]
    for (const name of names) assert.ok([...tables[name].getKeys()].length > 0, `the test has no row of ${name}`)
    await root.close()
  })
  after(() => place.remove())

  // Data without Billhook's mark is not opened at all.
  const isAnyButMark = (name: TableName) => (key: Buffer) => name !== 'meta' || key.equals(NUMBERS_KEY)

  async function damaged(name: TableName, damage: Damage, isDamaged = isAnyButMark(name)) {
    const directory = join(place.path, `${name}.${copies++}`)
    mkdirSync(directory)
    copyFileSync(join(place.path, 'whole', 'data.mdb'), join(directory, 'data.mdb'))
    const root = openEnvironment(directory)
    const table = openTables(root)[name]
    damage(
      table,
      [...table.getRange()].filter(({ key }) => isDamaged(key)),
    )
    await root.close()
    try {
      return await checkData(directory)
    } finally {
      rmSync(directory, { recursive: true })
    }
  }

  test('finds nothing in data that the store has written', async () => {
    await assertSound(join(place.path, 'whole'))
  })

  for (const [what, damage] of Object.entries(DAMAGES)) {
    test(`notices a row that was ${what}, in every table`, async () => {
      const unseen: string[] = []
      for (const name of names) {
        const { found, violations } = await damaged(
          name,
          what === 'altered' ? (ALTERED_ELSEWHERE[name] ?? damage) : damage,
        )
        assert.equal(violations, found.length)
        const isTold = found.some((one) => one.table === titleOf(name) || one.what.includes(titleOf(name)))
        if (!isTold) unseen.push(name)
      }
      const expected = names.filter((name) => UNSEEN[name]?.includes(what) === true)
      assert.deepEqual(unseen, expected)
    })
  }

  test('notices rates that cannot be read, and those that are none', async () => {
    const isOfRates = (key: Buffer) => key.equals(RATES_KEY)
    const wrongRate: Damage = (table, [row]) => {
      assert.ok(row !== undefined)
      const at = row.value.indexOf('0.92')
      assert.ok(at > 0)
      table.putSync(
        row.key,
        Buffer.concat([row.value.subarray(0, at), Buffer.from('-.92'), row.value.subarray(at + 4)]),
      )
    }
    for (const damage of [unreadable, wrongRate]) {
      const { found } = await damaged('meta', damage, isOfRates)
      assert.deepEqual(
        found.map(({ table, row }) => [table, row]),
        [['meta', '"rates"']],
      )
    }
  })

  test('names the order that is damaged, what is wrong with it, and each of its options that is', async () => {
    const told = async (name: TableName, damage: Damage) =>
      (await damaged(name, damage)).found.filter(({ table }) => table === 'orders').map(({ what }) => what)
    const options = await told('invoices', (table, rows) => {
      for (const { key, value } of rows) if (value.includes('o 91/')) table.removeSync(key)
    })
    assert.deepEqual(options, [
      'invoices does not have the invoice of its option 1',
      'invoices does not have the invoice of its option 2',
    ])
    const renamed = await told('invoices', (table, rows) => {
      for (const { key, value } of rows) {
        const at = value.indexOf('o 92/2')
        if (at > 0)
          table.putSync(key, Buffer.concat([value.subarray(0, at), Buffer.from('o 92/3'), value.subarray(at + 6)]))
      }
    })
    assert.deepEqual(renamed, ['the invoice of its option 2 has another reference'])
    const stands = await told('matches', (table, rows) => {
      for (const { key } of rows) table.removeSync(key)
    })
    assert.deepEqual(stands, [
      'it stands as paid, and its invoices say none',
      'it is paid, and an invoice that is not paid is not void',
      'it stands as partly, and its invoices say none',
      'it stands as paid, and its invoices say none to partly',
      'it is paid, and an invoice that is not paid is not void',
    ])
  })

  test('notices a set of several wallets that is not listed with one of them, and one that is listed without open invoices', async () => {
    const isOfSeveral = (key: Buffer) => key.length === SEVERAL_KEY_BYTES
    for (const [damage, what] of [
      [remove, /^payees \d+ calls for this row, which is missing/],
      [add, /^no record of payees calls/],
    ] as const) {
      const { found } = await damaged('openSets', damage, isOfSeveral)
      assert.deepEqual([found.length, found[0]?.table], [1, 'open-sets'])
      assert.match(found[0]?.what ?? '', what)
    }
  })

  test('needs every table', async () => {
    for (const name of names.filter((one) => one !== 'meta')) {
      const { found } = await damaged(name, (table) => table.dropSync())
      assert.ok(
        found.some((one) => one.table === titleOf(name) && one.what === 'the table is missing'),
        name,
      )
    }
  })
})
