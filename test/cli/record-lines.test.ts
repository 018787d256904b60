import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LINE_BYTES_MAX, type RecordLine, recordLines } from '../../src/cli/record-lines.js'

async function* pieces(...parts: readonly (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part)
}

async function read(...parts: readonly (string | Buffer)[]): Promise<readonly RecordLine[]> {
  const lines: RecordLine[] = []
  for await (const line of recordLines(pieces(...parts))) lines.push(line)
  return lines
}

const contents = (lines: readonly RecordLine[]) =>
  lines.map(({ no, content }) => [no, 'json' in content ? content.json : content.flaw])

describe('the lines of a file of records', () => {
  test('are counted as editors do, whatever ends them and wherever the file was cut in pieces', async () => {
    const text = '\ufeff{"a":1}\r\n\n  \t\n {"b":"\u2028 \u2029 \u0085"}\n{"c":1}'
    const expected = [
      [1, '{"a":1}'],
      [4, '{"b":"\u2028 \u2029 \u0085"}'],
      [5, '{"c":1}'],
    ]
    assert.deepEqual(contents(await read(text)), expected)
    assert.deepEqual(contents(await read(`${text}\n`)), expected)
    const bytes = Buffer.from(text)
    for (let at = 1; at < bytes.length; at += 1) {
      const lines = await read(bytes.subarray(0, at), bytes.subarray(at))
      assert.deepEqual(contents(lines), expected, `cut at ${at}`)
      assert.equal(lines.at(-1)?.endsAt, bytes.length)
    }
  })

  test('say what is no record', async () => {
    const lines = await read(
      ...['no JSON\n', '[1]\n', 'null\n', '"x"\n', '{"a":1}{"b":1}\n', '{"a":\0}\n', '{}\ufeff{}\n'],
      ...['{"a":"', Buffer.from([0xc3]), '"}\n', '{"d":1}\n', '\ufeff{}', Buffer.from([0xf0, 0x9f])],
    )
    const [isNone, isNoObject, isNoText] = ['it is no JSON', 'it is no JSON object', 'it is no UTF-8 text']
    assert.deepEqual(
      contents(lines),
      [isNone, isNoObject, isNoObject, isNoObject, isNone, isNone, isNone, isNoText, '{"d":1}', isNoText].map(
        (told, i) => [i + 1, told],
      ),
    )
  })

  test('are not kept beyond their limit', async () => {
    const fits = `{"a":"${'x'.repeat(LINE_BYTES_MAX - 8)}"}`
    const tooLong = `it is longer than ${LINE_BYTES_MAX} bytes`
    const lines = await read(`${fits}\n`, `${fits} \n`, fits, fits, fits, '\n{}\n', `${fits} `)
    assert.deepEqual(contents(lines), [
      [1, fits],
      [2, tooLong],
      [3, tooLong],
      [4, '{}'],
      [5, tooLong],
    ])
  })

  test('of an empty file are none', async () => {
    assert.deepEqual([...(await read()), ...(await read('')), ...(await read('\n\n'))], [])
  })
})
