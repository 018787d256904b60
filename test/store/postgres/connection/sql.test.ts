import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile, Fragment, sql } from '../../../../src/store/postgres/connection/sql.js'

/** PostgreSQL cuts longer names, and two that are the same up to there would be one statement. */
const NAME_BYTES_MAX = 63

test('the parameters of nested pieces are numbered in the order of the text', () => {
  const inner = sql`b = ${2} AND c = ${3}`
  const outer = sql`SELECT ${1} WHERE ${inner} OR d = ${4} AND ${sql`e = ${sql`f(${5})`}`} LIMIT ${6}`
  const { text, values } = compile(outer)
  assert.equal(text, 'SELECT $1 WHERE b = $2 AND c = $3 OR d = $4 AND e = f($5) LIMIT $6')
  assert.deepEqual(values, [1, 2, 3, 4, 5, 6])
})

test('a piece that is used twice brings its values twice', () => {
  const named = sql`x = ${'v'}`
  const { text, values } = compile(sql`${named} OR ${named}`)
  assert.equal(text, 'x = $1 OR x = $2')
  assert.deepEqual(values, ['v', 'v'])
})

test('pieces without values, and a statement that is all text, stay as they are', () => {
  assert.deepEqual(compile(sql`SELECT 1 ${sql``}FROM ${sql`t`}`).text, 'SELECT 1 FROM t')
  assert.deepEqual(compile(new Fragment(['CREATE TABLE t ()'], [])).text, 'CREATE TABLE t ()')
})

test('arrays, bytes and nulls are values, and never text', () => {
  const values = [['a', null], Buffer.from('b'), null, true, 5n, "'; DROP TABLE t"]
  const compiled = compile(
    sql`${values[0] ?? null} ${values[1] ?? null} ${null} ${true} ${5n} ${values.at(-1) ?? null}`,
  )
  assert.equal(compiled.text, '$1 $2 $3 $4 $5 $6')
  assert.deepEqual(compiled.values, values)
})

test('a value that is cast to an array has the type of its elements, wherever its piece of SQL stands', () => {
  const ids = sql`${['a']}::text[]`
  const { elementTypes } = compile(sql`SELECT ${1}::bigint, unnest(${ids}, ${[1]}::bigint[]), ${[2]} ${3}::text AS t`)
  assert.deepEqual(elementTypes, [null, 'text', 'bigint', null, null])
})

test('the name of a statement is that of its text, whatever its values', () => {
  const statement = (value: number | string) => compile(sql`SELECT ${value} FROM t`)
  assert.equal(statement(1).name, statement('two').name)
  assert.equal(compile(sql`SELECT ${sql`${1} FROM t`}`).name, statement(1).name)
  const texts = Array.from({ length: 1000 }, (_, i) => `SELECT ${'x'.repeat(100)} ${i}`)
  const names = texts.map((text) => compile(new Fragment([text], [])).name)
  assert.equal(new Set(names).size, texts.length)
  assert.deepEqual(
    names.filter((name) => name === '' || Buffer.byteLength(name) > NAME_BYTES_MAX),
    [],
  )
})
