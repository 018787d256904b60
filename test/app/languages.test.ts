import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { en, type TextKey } from '../../packages/app/src/languages/en.js'
import { filled } from '../../packages/app/src/languages/filled.js'
import { LANGUAGES } from '../../packages/app/src/languages/languages.js'
import { wantedLanguage } from '../../packages/app/src/languages/wanted.js'
import { LANGUAGES as PAGE_LANGUAGES } from '../../src/page/language.js'
import { projectRoot } from '../support/project-root.js'

const KEYS = Object.keys(en) as TextKey[]
const placeholdersOf = (text: string) => (text.match(/\{[a-z]+\}/g) ?? []).sort()

describe('the languages of the app', () => {
  test('are those of the payment page', () => {
    const about = ({ code, name, direction, locale }: Omit<(typeof LANGUAGES)[number], 'load'>) => [
      code,
      name,
      direction,
      locale,
    ]
    assert.deepEqual(LANGUAGES.map(about), PAGE_LANGUAGES.map(about))
  })

  for (const { code, load } of LANGUAGES) {
    test(`have every text, with its placeholders: ${code}`, async () => {
      const texts = await load()
      assert.deepEqual(Object.keys(texts), KEYS)
      for (const key of KEYS) {
        assert.deepEqual(placeholdersOf(texts[key]), placeholdersOf(en[key]), key)
        assert.equal(texts[key], texts[key].trim(), key)
        assert.notEqual(texts[key], '', key)
      }
    })

    test(`write digits as wallets take them: ${code}`, async () => {
      for (const [key, text] of Object.entries(await load())) assert.doesNotMatch(text, /[٠-٩۰-۹०-९]/, key)
    })
  }

  test('have no text that nothing shows', () => {
    const source = join(projectRoot, 'packages/app/src')
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
    const code = files
      .filter((name) => !name.includes('languages'))
      .map((name) => readFileSync(join(source, name), 'utf8'))
      .join('\n')
    assert.deepEqual(
      KEYS.filter((key) => !code.includes(`'${key}'`)),
      [],
    )
  })
})

describe('a value in a text', () => {
  for (const [value, direction, written] of [
    ['25 USDT', 'ltr', 'Pay 25 USDT now'],
    [7, 'ltr', 'Pay 7 now'],
    ['25 USDT', 'rtl', 'Pay \u206825 USDT\u2069 now'],
    ['مال', 'ltr', 'Pay \u2068مال\u2069 now'],
    ['\u202eTDSU', 'ltr', 'Pay \u2068\u202eTDSU\u2069 now'],
  ] as const) {
    test(`${JSON.stringify(value)} stands by itself, ${direction}`, () => {
      assert.equal(filled('Pay {what} now', { what: value }, direction), written)
    })
  }

  test('is no text itself, and must be there', () => {
    assert.equal(filled('{a} and {b}', { a: '{b}', b: '$&' }, 'ltr'), '{b} and $&')
    assert.throws(() => filled('{a}', {}, 'ltr'), /no value for \{a\}/)
  })
})

describe('the language to begin with', () => {
  const KNOWN = ['en', 'de', 'pt']
  for (const { name, query = '', remembered = null, browser = [], code } of [
    { name: 'is English where nobody asks', code: 'en' },
    { name: 'is the first of the browser that there is', browser: ['xx', 'PT-br', 'de'], code: 'pt' },
    { name: 'is the one that was chosen', remembered: 'de', browser: ['pt'], code: 'de' },
    { name: 'is the one that the address asks for', query: '?lang=pt', remembered: 'de', code: 'pt' },
    { name: 'is none that nobody knows', query: '?lang=constructor', remembered: 'zz', browser: ['', '-'], code: 'en' },
  ]) {
    test(name, () => assert.equal(wantedLanguage(KNOWN, query, remembered, browser), code))
  }
})
