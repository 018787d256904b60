import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Diagnosis, diagnose } from '../../../src/auth/diagnosis/diagnosis.js'
import { endpoints } from '../../../src/http/endpoints.js'
import { projectRoot } from '../../support/project-root.js'
import { signRequest } from '../../support/signing.js'
import { key, otherKey, ROWS, type Sent } from './rows.js'

const tags = Object.keys(endpoints).filter((tag) => tag.includes(' /api/'))
const others = [{ publicKey: otherKey.publicKey, name: 'the key of a friend' }]

function diagnosed(sent: Sent): Diagnosis {
  return diagnose({ ...sent, tags }, others)
}

describe('a diagnosis', () => {
  for (const { name, says, sent } of ROWS) {
    test(`finds ${name === '' ? 'nothing' : name}`, () => {
      const { differences } = diagnosed(sent)
      const texts = differences?.map(({ text }) => text)
      assert.equal(texts?.length, says.length, JSON.stringify(texts))
      for (const [at, start] of says.entries()) assert.ok(texts?.[at]?.startsWith(start), texts?.[at])
    })
  }

  test('knows no mistake that no row shows', () => {
    const folder = join(projectRoot, 'src/auth/diagnosis')
    const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    const texts = sources.flatMap((source) =>
      [
        ...source.matchAll(
          /(?:text:|flaw:|\? |: |const flaw =)\s*\n?\s*'((?:The|There|A|An|Only|Method) [^']{12,}\.)'/g,
        ),
      ].map(([, text = '']) => text),
    )
    assert.ok(texts.length >= 50, `${texts.length} mistakes found`)
    const shown = ROWS.flatMap(({ says }) => says)
    assert.deepEqual(
      texts.filter((text) => !shown.some((start) => text.startsWith(start))),
      [],
    )
  })

  const [first = assert.fail('no rows')] = ROWS
  const foreign: Sent = { ...first.sent, signature: signRequest(key, first.sent.tag, '1', 'something else') }

  test('says so when it finds no explanation', () => {
    assert.deepEqual(diagnosed(foreign), { differences: null, signer: null })
    for (const signature of ['', '!', 'MEUCIQ==', 'AAAA', '00'.repeat(64)]) {
      assert.deepEqual(diagnosed({ ...first.sent, signature }), { differences: null, signer: null }, signature)
    }
    for (const apiKey of ['', 'zz', '00', 'f'.repeat(64), '30563010', 'A'.repeat(88)]) {
      assert.equal(diagnose({ ...foreign, apiKey, tags }, []).differences, null, apiKey)
    }
  })

  test('stands a body that is large, deep, and no JSON', () => {
    const body = Buffer.from(`${'['.repeat(20_000)}\0\xff`, 'latin1')
    assert.equal(diagnosed({ ...foreign, body }).differences, null)
  })
})
