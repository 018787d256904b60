import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseNetworks, readNetworksFile } from '../../../src/networks/catalogue/file.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

const EVM_TOKEN = '0x55d398326f99059fF775485246999027B3197955'
const TRON_TOKEN = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

const BNB = {
  id: 'BNB',
  kind: 'evm',
  name: 'BNB Smart Chain',
  claim: 'bnb/bnb',
  chainId: 56,
  symbol: 'BNB',
  token: { symbol: 'USDT', contract: EVM_TOKEN, decimals: 18 },
}
/** Without its token. */
const { token: _token, ...BARE } = BNB
const OTHER_TOKEN = '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'
const OTHER = { symbol: 'USDC', contract: OTHER_TOKEN, decimals: 18 }
const TRX = {
  id: 'TRX',
  kind: 'tron',
  name: 'TRON',
  claim: 'tron/trx',
  testnet: false,
  genesis: 'ab'.repeat(32),
  symbol: 'TRX',
  token: { symbol: 'USDT', contract: TRON_TOKEN, decimals: 6 },
}

/** What an entry of one token becomes: invoices in USDT are paid in it, whatever it calls itself. */
function entryOf<T extends { readonly token: object }>({ token, ...entry }: T) {
  return { ...entry, tokens: [{ currency: 'USDT', ...token }] }
}

/** How the file names an environment variable. */
function named(variable: string): string {
  return `$\{${variable}}`
}

function parsed(value: unknown, environment: Readonly<Record<string, string>> = {}) {
  const problems: string[] = []
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { entries: parseNetworks(text, environment, problems), problems }
}

function problemsOf(...networks: readonly unknown[]): readonly string[] {
  return parsed({ networks }).problems
}

describe('the file of networks', () => {
  test('gives entries, with defaults for what may be left out', () => {
    const { entries, problems } = parsed({ networks: [BNB, TRX] })
    assert.deepEqual(problems, [])
    const told = { explorer: null, tokenStandard: null, confirmationMinutes: null }
    const common = { testnet: false, urls: [], start: 'latest', quietSeconds: null, ...told }
    const defaults = { confirmations: 12, batch: 50, range: 200, traces: false, pollMs: 4000 }
    assert.deepEqual(entries, [
      { ...entryOf(BNB), ...common, ...defaults },
      { ...entryOf(TRX), ...common, apiKey: null, walletNodes: [], pollMs: 7000 },
    ])
  })

  test('takes a list of tokens, each in a currency of its own', () => {
    const tokens = [
      { symbol: 'USDC', contract: EVM_TOKEN, decimals: 18 },
      { symbol: 'USDT', contract: OTHER_TOKEN, decimals: 6 },
    ]
    const { entries, problems } = parsed({ networks: [{ ...BARE, tokens }] })
    assert.deepEqual(problems, [])
    assert.deepEqual(
      entries[0]?.tokens,
      tokens.map((token) => ({ currency: token.symbol, ...token })),
    )
    const called = parsed({ networks: [{ ...BNB, token: { ...BNB.token, symbol: 'USDT0' } }] }).entries
    assert.deepEqual(called[0]?.tokens, [{ currency: 'USDT', ...BNB.token, symbol: 'USDT0' }])
  })

  test('takes every field', () => {
    const more = {
      testnet: true,
      start: 17,
      pollMs: 250,
      quietSeconds: 3600,
      explorer: 'https://scan.example/tx/{txHash}',
      tokenStandard: 'BEP20',
      confirmationMinutes: 15,
      urls: [`https://a.example/${named('KEY')}`, 'http://127.0.0.1:8545'],
    }
    const evm = { ...BNB, ...more, confirmations: 'safe', batch: 1, range: 7, traces: true }
    const sides = { full: `http://10.0.0.7:8090/${named('KEY')}`, solidity: `http://10.0.0.7:8091/${named('OTHER')}` }
    const walletNodes = ['https://nodes.example', 'https://nodes.example:8443']
    const tron = {
      ...TRX,
      ...more,
      walletNodes,
      urls: [...more.urls, sides],
      apiKey: `${named('KEY')}-${named('OTHER')}`,
    }
    const { entries, problems } = parsed({ networks: [evm, tron] }, { KEY: 'k1', OTHER: 'k2' })
    assert.deepEqual(problems, [])
    const urls = ['https://a.example/k1', 'http://127.0.0.1:8545']
    const atOneAddress = urls.map((full) => ({ full, solidity: null }))
    const atTwo = { full: 'http://10.0.0.7:8090/k1', solidity: 'http://10.0.0.7:8091/k2' }
    assert.deepEqual(entries, [
      { ...entryOf(evm), urls },
      { ...entryOf(tron), urls: [...atOneAddress, atTwo], apiKey: 'k1-k2' },
    ])
  })

  test('takes contracts without a checksum, and finality by number or tag', () => {
    for (const contract of [EVM_TOKEN.toLowerCase(), `0x${'1'.repeat(40)}`]) {
      assert.deepEqual(problemsOf({ ...BNB, token: { ...BNB.token, contract } }), [])
    }
    for (const confirmations of [1, 10_000, 'finalized', 'safe']) {
      assert.deepEqual(problemsOf({ ...BNB, confirmations }), [])
    }
  })

  const integer = (maximum: string, minimum = '1') => `an integer from ${minimum} to ${maximum}`
  const rows: readonly (readonly [network: unknown, problem: string])[] = [
    [7, '$.networks[0] must be an object'],
    [{ ...BNB, id: 'bnb' }, '$.networks[0].id must be 2 to 16 capital letters, digits and hyphens, not "bnb"'],
    [{ ...BNB, id: undefined }, '$.networks[0].id is missing: it must be 2 to 16 capital letters, digits and hyphens'],
    [{ ...BNB, id: 'SEP' }, '$.networks[0].id "SEP" is that of a built-in network'],
    [{ ...BNB, claim: 'niles/trx' }, '$.networks[0].claim "niles/trx" is that of a built-in network'],
    [{ ...BNB, claim: 'bnb' }, '$.networks[0].claim must be two path segments, such as ethereum/eth, not "bnb"'],
    [{ ...BNB, kind: 'svm', chainId: undefined }, '$.networks[0].kind must be one of evm, tron, not "svm"'],
    [{ ...BNB, name: ' ' }, '$.networks[0].name must be a text of 1 to 40 characters, not " "'],
    [{ ...BNB, testnet: 'no' }, '$.networks[0].testnet must be true or false, not "no"'],
    [{ ...BNB, symbol: 'B N B' }, '$.networks[0].symbol must be 1 to 16 letters and digits, not "B N B"'],
    [{ ...BNB, chainId: 0 }, `$.networks[0].chainId must be ${integer('9007199254740991')}, not 0`],
    [{ ...BNB, chainId: undefined }, `$.networks[0].chainId is missing: it must be ${integer('9007199254740991')}`],
    [{ ...BNB, genesis: 'ab'.repeat(32) }, '$.networks[0].genesis is not a field that is known here'],
    [{ ...BNB, 'poll-ms': 1 }, '$.networks[0]["poll-ms"] is not a field that is known here'],
    [{ ...BNB, token: null }, '$.networks[0].token must be an object'],
    [{ ...BNB, tokens: [OTHER] }, '$.networks[0].token cannot be combined with tokens: name each token in the list'],
    [{ ...BARE, tokens: [] }, '$.networks[0].tokens must be a list of 1 to 8 tokens'],
    [{ ...BARE, tokens: OTHER }, '$.networks[0].tokens must be a list of 1 to 8 tokens'],
    [{ ...BARE, tokens: Array(9).fill(OTHER) }, '$.networks[0].tokens must be a list of 1 to 8 tokens'],
    [{ ...BARE, tokens: [OTHER, 5] }, '$.networks[0].tokens[1] must be an object'],
    [
      { ...BARE, tokens: [{ ...OTHER, symbol: 'NATIVE' }] },
      '$.networks[0].tokens[0].symbol must be 2 to 12 capital letters and digits, and not NATIVE, not "NATIVE"',
    ],
    [
      { ...BARE, tokens: [{ ...OTHER, symbol: 'usdc' }] },
      '$.networks[0].tokens[0].symbol must be 2 to 12 capital letters and digits, and not NATIVE, not "usdc"',
    ],
    [
      { ...BARE, tokens: [OTHER, { ...OTHER, contract: EVM_TOKEN }] },
      '$.networks[0].tokens[1].symbol "USDC" is that of another token of the network',
    ],
    [
      { ...BARE, tokens: [OTHER, { ...OTHER, symbol: 'DAI', contract: OTHER.contract.toLowerCase() }] },
      '$.networks[0].tokens[1].contract is that of another token of the network',
    ],
    [
      { ...BARE, tokens: [OTHER, { ...OTHER, symbol: 'DAI', contract: '0x1' }] },
      '$.networks[0].tokens[1].contract must be 0x and 40 hex digits, with a correct checksum (EIP-55) when they are of mixed case, not "0x1"',
    ],
    [
      { ...BNB, token: { ...BNB.token, decimals: 19 } },
      `$.networks[0].token.decimals must be ${integer('18', '0')}, not 19`,
    ],
    [{ ...BNB, token: { ...BNB.token, name: 'x' } }, '$.networks[0].token.name is not a field that is known here'],
    [
      { ...BNB, token: { ...BNB.token, contract: EVM_TOKEN.replace('fF', 'Ff') } },
      `$.networks[0].token.contract must be 0x and 40 hex digits, with a correct checksum (EIP-55) when they are of mixed case, not "${EVM_TOKEN.replace('fF', 'Ff')}"`,
    ],
    [
      { ...TRX, token: { ...TRX.token, contract: `${TRON_TOKEN.slice(0, -1)}u` } },
      `$.networks[0].token.contract must be a base58check address that begins with T, with a correct checksum, not "${TRON_TOKEN.slice(0, -1)}u"`,
    ],
    [
      { ...BNB, tokenStandard: '(BEP20)' },
      '$.networks[0].tokenStandard must be 1 to 16 letters, digits, blanks, points and hyphens, not "(BEP20)"',
    ],
    [{ ...TRX, confirmationMinutes: 0.5 }, `$.networks[0].confirmationMinutes must be ${integer('10080')}, not 0.5`],
    [
      { ...TRX, walletNodes: ['https://api.trongrid.io/wallet'] },
      '$.networks[0].walletNodes must be a list of at most 4 https origins, such as "https://api.trongrid.io"',
    ],
    [{ ...BNB, walletNodes: [] }, '$.networks[0].walletNodes is not a field that is known here'],
    [{ ...BNB, quietSeconds: 9 }, `$.networks[0].quietSeconds must be ${integer('604800', '10')}, not 9`],
    [{ ...TRX, genesis: 'AB' }, '$.networks[0].genesis must be 64 lower-case hex digits, not "AB"'],
    [{ ...TRX, confirmations: 19 }, '$.networks[0].confirmations is not a field that is known here'],
    [{ ...TRX, traces: true }, '$.networks[0].traces is not a field that is known here'],
    [
      { ...BNB, confirmations: 'latest' },
      `$.networks[0].confirmations must be "finalized", "safe" or ${integer('10000')}, not "latest"`,
    ],
    [{ ...BNB, start: -1 }, `$.networks[0].start must be "latest" or ${integer('140737488355328', '0')}, not -1`],
    [{ ...BNB, pollMs: 99 }, `$.networks[0].pollMs must be ${integer('600000', '100')}, not 99`],
    [{ ...BNB, batch: 0 }, `$.networks[0].batch must be ${integer('1000')}, not 0`],
    [{ ...BNB, range: 10_001 }, `$.networks[0].range must be ${integer('10000')}, not 10001`],
    [
      { ...BNB, explorer: 'http://scan.example/{txHash}' },
      '$.networks[0].explorer must be an https URL with {txHash} once behind its host, not "http://scan.example/{txHash}"',
    ],
    [{ ...BNB, urls: [] }, '$.networks[0].urls must be a list of URLs; leave it out for a network that is not watched'],
    // What may be secret is not repeated.
    [{ ...BNB, urls: ['ftp://u:p@a'] }, '$.networks[0].urls[0] must be an absolute http or https URL without fragment'],
    [{ ...TRX, urls: [7] }, '$.networks[0].urls[0] must be an absolute http or https URL without fragment'],
    [
      { ...TRX, urls: [{ full: 'http://a', solidity: 'b' }] },
      '$.networks[0].urls[0].solidity must be an absolute http or https URL without fragment',
    ],
    [
      { ...TRX, urls: ['http://a', { full: 'http://a', solidity: 'http://b', solid: 1 }] },
      '$.networks[0].urls[1].solid is not a field that is known here',
    ],
    [
      { ...TRX, urls: [{ full: `http://a/${named('MISSING')}`, solidity: 'http://b' }] },
      '$.networks[0].urls[0].full names the environment variable "MISSING", which is not set',
    ],
    [
      { ...BNB, urls: [{ full: 'http://a' }] },
      '$.networks[0].urls[0] must be an absolute http or https URL without fragment',
    ],
    [{ ...TRX, apiKey: '' }, '$.networks[0].apiKey must be a text of 1 to 256 characters'],
    [
      { ...BNB, urls: ['https://a.example', `https://a.example/${named('MISSING')}`] },
      '$.networks[0].urls[1] names the environment variable "MISSING", which is not set',
    ],
    [
      { ...BNB, urls: [`https://a.example/${named('')}`] },
      '$.networks[0].urls[0] names the environment variable "", which is not set',
    ],
  ]
  for (const [network, problem] of rows) {
    test(`says ${problem}`, () => assert.deepEqual(problemsOf(network), [problem]))
  }

  test('says of the second network that has what another one has', () => {
    assert.deepEqual(problemsOf(BNB, { ...TRX, id: 'BNB', claim: 'bnb/bnb' }), [
      '$.networks[1].id "BNB" is that of $.networks[0]',
      '$.networks[1].claim "bnb/bnb" is that of $.networks[0]',
    ])
  })

  test('says everything at once, and gives nothing then', () => {
    const problems: string[] = []
    const place = temporaryDirectory()
    try {
      const path = join(place.path, 'networks.json')
      writeFileSync(
        path,
        JSON.stringify({
          more: 1,
          networks: [
            { ...BNB, id: 'b', chainId: 1.5 },
            { ...TRX, name: 5 },
          ],
        }),
      )
      assert.deepEqual(readNetworksFile(path, {}, problems), [])
    } finally {
      place.remove()
    }
    assert.deepEqual(problems, [
      'BILLHOOK_NETWORKS: $.more is not a field that is known here.',
      'BILLHOOK_NETWORKS: $.networks[0].id must be 2 to 16 capital letters, digits and hyphens, not "b".',
      'BILLHOOK_NETWORKS: $.networks[0].chainId must be an integer from 1 to 9007199254740991, not 1.5.',
      'BILLHOOK_NETWORKS: $.networks[1].name must be a text of 1 to 40 characters, not 5.',
    ])
  })

  for (const [text, problem] of [
    ['', /^\$ is not JSON: /],
    ['{"networks": [}', /^\$ is not JSON: /],
    ['[]', /^\$ must be an object$/],
    ['{"networks": {}}', /^\$\.networks must be a list$/],
  ] as const) {
    test(`cannot be ${JSON.stringify(text)}`, () => {
      const { entries, problems } = parsed(text)
      assert.deepEqual([entries.length, problems.length], [0, 1])
      assert.match(problems[0] ?? '', problem)
    })
  }

  test('that is not there is a problem of its own', () => {
    const problems: string[] = []
    assert.deepEqual(readNetworksFile('/nowhere/networks.json', {}, problems), [])
    assert.deepEqual(problems, [
      'BILLHOOK_NETWORKS: cannot use the file "/nowhere/networks.json": there is no such file.',
    ])
  })
})
