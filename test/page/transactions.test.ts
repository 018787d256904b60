import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { QualifyingDeposit } from '../../src/domain/payment.js'
import { LANGUAGES } from '../../src/page/language.js'
import { areConfirming, type Transactions, transactionList, transactionsShown } from '../../src/page/transactions.js'
import { pageNetworks } from '../support/networks.js'
import { frameOf, textOf } from './frame.js'

const HASH = 'a1'.repeat(32)
const SEP_HASH = `0x${HASH}`
const EXPLORERS = { SEP: 'https://sep.example/tx/{txHash}', 'TRX-NILE': 'https://nile.example/#/tx/{txHash}?a=1&b=2' }
const FACTS = pageNetworks({
  SEP: { explorer: EXPLORERS.SEP, confirmations: 12 },
  'TRX-NILE': { explorer: EXPLORERS['TRX-NILE'] },
})

function deposit(fields: Partial<QualifyingDeposit> = {}): QualifyingDeposit {
  return {
    network: 'SEP',
    txHash: SEP_HASH,
    index: 0,
    receivedAt: 1,
    amount: '1234.5',
    isConfirmed: false,
    confirmations: 3,
    ...fields,
  }
}

function render(
  fields: Partial<Transactions> | Partial<QualifyingDeposit> = {},
  { lang = 'en', facts = FACTS }: { lang?: string; facts?: typeof FACTS } = {},
): string {
  const listed = 'deposits' in fields ? fields : { deposits: [deposit(fields as Partial<QualifyingDeposit>)] }
  const view = { deposits: [], hasMoreDeposits: false, ...listed }
  return String(transactionList(frameOf({ lang }).language, () => 'USDT', view, facts) ?? '')
}

describe('the transactions of a page', () => {
  test('are nothing before the first', () => assert.equal(render({ deposits: [] }), ''))

  test('have their sum and their hash, shortened, as a link to the explorer that tells it nothing', () => {
    const html = render()
    assert.ok(textOf(html).startsWith('Transactions seen 1234.5 USDT 0xa1a1a1a1…a1a1a1a1 (block explorer'), html)
    const attributes = 'target="_blank" rel="noopener noreferrer"'
    assert.ok(html.includes(`<a class="hash" href="https://sep.example/tx/${SEP_HASH}" ${attributes}>`), html)
    assert.ok(html.includes('<code dir="ltr" translate="no">0xa1a1a1a1…a1a1a1a1</code>'), html)
    const nile = render({ network: 'TRX-NILE', txHash: HASH })
    assert.ok(
      nile.includes(`<a class="hash" href="https://nile.example/#/tx/${HASH}?a=1&amp;b=2" ${attributes}>`),
      nile,
    )
  })

  const hostile = [
    '../../login',
    `${SEP_HASH}/..`,
    HASH,
    '"><script>alert(1)</script>',
    'javascript:alert(1)',
    '\u202e0xfeed',
    '\ud800'.repeat(128),
    '😀'.repeat(60),
  ]
  for (const txHash of hostile) {
    test(`have no link where the hash is none of the network: ${JSON.stringify(txHash).slice(0, 30)}`, () => {
      const html = render({ txHash })
      assert.equal(html.includes('<a '), false)
      assert.equal(html.includes('<script'), false)
      assert.equal(html, html.toWellFormed())
      assert.ok([...(/<code[^>]*>(.*)<\/code>/.exec(html)?.[1] ?? '')].length < 120)
    })
  }

  test('have no link where there is no explorer, as in the sandbox', () => {
    const html = render({}, { facts: pageNetworks({ SEP: { confirmations: 12 } }) })
    assert.equal(html.includes('<a '), false)
    assert.equal(html.includes('explorer'), false)
    assert.ok(textOf(html).includes('0xa1a1a1a1…a1a1a1a1'))
  })

  const rows: readonly [what: string, fields: Partial<QualifyingDeposit>, said: string][] = [
    ['some of those needed', {}, '3 of 12 confirmations'],
    ['not more than needed', { confirmations: 14 }, '12 of 12 confirmations'],
    ['so far, where the network decides', { network: 'TRX-NILE', confirmations: 1200 }, 'Confirmations so far: 1200'],
    ['none known', { confirmations: null }, 'Waiting for confirmation'],
    ['confirmed', { isConfirmed: true, confirmations: null }, 'Confirmed'],
  ]
  for (const [what, fields, said] of rows) {
    test(`say how far each is: ${what}`, () => {
      const quiet = /<p class="quiet">(.*)<\/p>/.exec(render(fields))?.[1]
      assert.equal(textOf(quiet ?? ''), said)
    })
  }

  test('say when there are more than are shown', () => {
    const deposits = [deposit(), deposit({ index: 1 })]
    assert.ok(textOf(render({ deposits, hasMoreDeposits: true })).endsWith('These are the newest 2; there are more.'))
    assert.equal(render({ deposits }).includes('there are more'), false)
    assert.equal(render({ deposits }).split('<li>').length - 1, 2)
  })

  for (const { code } of LANGUAGES) {
    test(`say both counts in ${code}, and write the sum as it does`, () => {
      const text = textOf(render({}, { lang: code }))
      assert.ok(/\b3\b/.test(text) && /\b12\b/.test(text), text)
      assert.ok(/1[.,  ]?234[.,]5/.test(text), text)
    })
  }

  test('change the version of the page only with what is shown', () => {
    const shown = (fields: Partial<QualifyingDeposit>, hasMoreDeposits = false) =>
      JSON.stringify(transactionsShown({ deposits: [deposit(fields)], hasMoreDeposits }, FACTS))
    const versions = [
      shown({}),
      shown({ confirmations: 4 }),
      shown({ confirmations: null }),
      shown({ confirmations: null, isConfirmed: true }),
      shown({ index: 1 }),
      shown({ txHash: 'other' }),
      shown({}, true),
    ]
    assert.equal(new Set(versions).size, versions.length)
    assert.equal(shown({ confirmations: 12 }), shown({ confirmations: 13 }))
    assert.notEqual(
      shown({ network: 'TRX-NILE', confirmations: 12 }),
      shown({ network: 'TRX-NILE', confirmations: 13 }),
    )
  })

  test('may be confirmed further by blocks until all are confirmed', () => {
    const confirmed = deposit({ isConfirmed: true, confirmations: null })
    assert.equal(areConfirming({ deposits: [] }), false)
    assert.equal(areConfirming({ deposits: [confirmed] }), false)
    assert.equal(areConfirming({ deposits: [confirmed, deposit()] }), true)
    // Nobody watches its network: whoever reports it confirms it.
    assert.equal(areConfirming({ deposits: [deposit({ confirmations: null })] }), false)
  })
})
