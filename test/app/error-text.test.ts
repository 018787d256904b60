import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BillhookError, type ClientErrorCode } from '@billhook/client'
import { NotSent } from '../../packages/app/src/invoices/not-sent.js'
import { KeyError, type KeyErrorCode } from '../../packages/app/src/keys/key-error.js'
import { LANGUAGES } from '../../packages/app/src/languages/languages.js'
import { ERROR_TEXTS, errorText, type KnownCode } from '../../packages/app/src/session/error-text.js'
import { StorageError } from '../../packages/app/src/storage/storage-error.js'
import { apiFailures, failure } from '../../src/domain/failure.js'

/** As the types have them, so that the compiler says which one is missing here. */
const CLIENT_CODES: Readonly<Record<ClientErrorCode, true>> = {
  unreachable: true,
  unexpected_answer: true,
  wait_timeout: true,
  invoice_void: true,
  ledger_rejected: true,
  ledger_unavailable: true,
  ledger_uncertain: true,
  webhook_rejected: true,
  amount_unknown: true,
}
const KEY_CODES: Readonly<Record<KeyErrorCode, true>> = {
  empty: true,
  occupied: true,
  locked: true,
  wrong_passphrase: true,
  bad_phrase: true,
  bad_key: true,
  no_key: true,
  insecure: true,
  storage: true,
}
const ALL = [
  ...new Set([...apiFailures, ...Object.keys(CLIENT_CODES), ...Object.keys(KEY_CODES), 'defect']),
] as KnownCode[]

/** Texts that repeat what somebody else says, and say why. */
const REPEATING: readonly string[] = ['errorLedgerRejected', 'errorDefect', 'errorOther']

/** The error of a code as the app meets it. */
function errorOf(code: KnownCode): Error {
  if (code === 'defect') return new TypeError('x is not a function')
  if (Object.hasOwn(KEY_CODES, code)) return new KeyError(code as KeyErrorCode)
  const isOfService = (apiFailures as readonly string[]).includes(code)
  return new BillhookError(isOfService ? failure(code as never).message : 'What the client says.', code as never)
}

describe('the words for a failure', () => {
  test('are there for every code of the service, of the client and of the keys, and for no other', () => {
    assert.deepEqual(Object.keys(ERROR_TEXTS).sort(), [...ALL].sort())
  })

  for (const language of LANGUAGES) {
    test(`are in ${language.name}, and repeat neither a code nor what a program says`, async () => {
      const texts = await language.load()
      for (const code of ALL) {
        const error = errorOf(code)
        const { key, values } = errorText(error)
        assert.notEqual(key, 'errorOther', code)
        const words = texts[key]
        assert.ok([...words].length >= 7, `${code}: ${words}`)
        if (REPEATING.includes(key)) continue
        assert.doesNotMatch(words, /\{/, code)
        assert.ok(error instanceof KeyError || !words.includes(values['message'] ?? ''), code)
        assert.doesNotMatch(words, /\b[a-z]+_[a-z_]+\b/, code)
      }
    })
  }

  for (const language of LANGUAGES.filter(({ code }) => code !== 'en')) {
    test(`are not left in English: ${language.name}`, async () => {
      const [texts, english] = [await language.load(), await LANGUAGES[0]?.load()]
      for (const key of new Set(Object.values(ERROR_TEXTS))) assert.notEqual(texts[key], english?.[key], key)
    })
  }

  test('tell a code that is newer than the app with what the service says', () => {
    const { key, values } = errorText(new BillhookError('Too early.', 'too_early' as never))
    assert.equal(key, 'errorOther')
    assert.deepEqual(values, { message: 'Too early.', code: 'too_early' })
  })

  test('are no property that every object has', () => {
    assert.equal(errorText(new BillhookError('?', 'constructor' as never)).key, 'errorOther')
  })

  test('are of a bounded length, whatever a service says', () => {
    const { values } = errorText(new BillhookError('W'.repeat(100_000), 'c'.repeat(100_000) as never))
    for (const told of Object.values(values)) assert.ok(told.length <= 301)
  })

  for (const [what, error] of [
    ['cannot read', new StorageError(new Error('QuotaExceededError'))],
    ['could not store what was to be sent', new NotSent('not sent')],
  ] as const) {
    test(`say where the browser keeps nothing: it ${what}`, () => assert.equal(errorText(error).key, 'errorStorage'))
  }

  for (const thrown of [null, undefined, 'a text', { code: 'invoice_paid' }, new Error('')]) {
    test(`are there for what is no failure of ours: ${String(thrown)}`, () =>
      assert.equal(errorText(thrown).key, 'errorDefect'))
  }
})
