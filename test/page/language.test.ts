import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LANGUAGES, languageFor, minutesText, say, timeText } from '../../src/page/language.js'
import { en, type TextKey } from '../../src/page/languages/en.js'
import { markup } from '../../src/page/markup.js'

const KEYS = Object.keys(en) as TextKey[]

function placeholdersOf(text: string): readonly string[] {
  return [...text.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name).sort()
}

describe('the languages of the pages', () => {
  test('are ten, each once', () => {
    const codes = LANGUAGES.map(({ code }) => code)
    assert.deepEqual(codes, ['en', 'de', 'fr', 'es', 'pt', 'tr', 'ar', 'zh', 'ja', 'hi'])
  })

  for (const { code, texts } of LANGUAGES) {
    test(`${code} has every text, and no other`, () => {
      assert.deepEqual(Object.keys(texts).sort(), [...KEYS].sort())
      for (const key of KEYS) assert.notEqual(texts[key].trim(), '', key)
    })

    test(`${code} has the placeholders of every text`, () => {
      for (const key of KEYS) assert.deepEqual(placeholdersOf(texts[key]), placeholdersOf(en[key]), key)
    })

    if (code !== 'en') {
      test(`${code} is translated`, () => {
        const same = KEYS.filter((key) => texts[key] === en[key])
        assert.deepEqual(same, [])
      })
    }
  }
})

/** What the languages call an invoice. */
const INVOICE = /invoice|rechnung|facture|factura|fatura|فاتورة|账单|請求書|इनवॉइस/i

test('what a wallet says is true of an invoice and of an order alike', () => {
  for (const { code, texts } of LANGUAGES) {
    assert.match(texts.invoiceNumber, INVOICE, code)
    for (const key of KEYS.filter((one) => one.startsWith('wallet')))
      assert.doesNotMatch(texts[key], INVOICE, `${code} ${key}`)
  }
})

describe('the language of a request', () => {
  const rows: readonly [query: string, accepted: string | undefined, code: string][] = [
    ['', undefined, 'en'],
    ['', '', 'en'],
    ['', 'de', 'de'],
    ['', 'pt-PT', 'pt'],
    ['', 'ZH-hant-TW', 'zh'],
    ['', 'nl, tr;q=0.8, en;q=0.7', 'tr'],
    ['', 'en;q=0.2, ja;q=0.9', 'ja'],
    ['', 'es, fr', 'es'],
    ['', 'hi;q=0', 'en'],
    ['', 'hi;q=2, de;q=0.1', 'de'],
    ['', '*', 'en'],
    ['', `${'x,'.repeat(1000)}de`, 'en'],
    ['lang=fr', 'de', 'fr'],
    ['utm=1&lang=AR', undefined, 'ar'],
    ['lang=', 'de', 'de'],
    ['lang=__proto__', 'de', 'de'],
    ['slang=fr', 'de', 'de'],
  ]
  for (const [query, accepted, code] of rows) {
    test(`with "${query}" and "${accepted?.slice(0, 30)}" is ${code}`, () =>
      assert.equal(languageFor(query, accepted).code, code))
  }
})

describe('texts', () => {
  const [english] = LANGUAGES
  assert.ok(english !== undefined)

  test('are filled in, what is filled in is escaped, and markup is not', () => {
    const said = say(english, 'sendOnly', { coin: '<b>', network: markup`<bdi>N</bdi>` })
    assert.equal(said.toString(), 'Send only &lt;b&gt;, and only on <bdi>N</bdi>. Anything else may be lost.')
  })

  test('never show a placeholder', () => assert.throws(() => say(english, 'ofAmount'), /\{amount\}/))

  test('have times in UTC', () => {
    assert.equal(timeText(english, Date.UTC(2026, 10, 22, 19, 5, 59)), 'November 22, 2026 at 7:05 PM UTC')
  })
})

/** In French, what follows the number 1 is singular. */
test('one confirmation of several is counted rightly in French', () => {
  const french = LANGUAGES.find(({ code }) => code === 'fr') ?? assert.fail()
  assert.equal(String(say(french, 'confirmationsOf', { count: '1', needed: '12' })), 'Confirmations : 1 sur 12')
})

describe('minutes', () => {
  const written: Readonly<Record<string, readonly string[]>> = {
    en: ['1 minute', '15 minutes'],
    de: ['1 Minute', '15 Minuten'],
    fr: ['1 minute', '15 minutes'],
    es: ['1 minuto', '15 minutos'],
    pt: ['1 minuto', '15 minutos'],
    tr: ['1 dakika', '15 dakika'],
    ar: ['دقيقة', '15 دقيقة'],
    zh: ['1分钟', '15分钟'],
    ja: ['1 分', '15 分'],
    hi: ['1 मिनट', '15 मिनट'],
  }
  for (const language of LANGUAGES) {
    test(`agree with their number in ${language.code}`, () =>
      assert.deepEqual(
        [1, 15].map((minutes) => minutesText(language, minutes)),
        written[language.code],
      ))
  }
})
