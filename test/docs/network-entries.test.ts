import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { isBlockId, isExplorer } from '../../src/base/network-texts.js'
import { parseNetworks } from '../../src/networks/catalogue/file.js'
import { checksummedAddress } from '../../src/networks/ethereum/address.js'
import { accountOfAddress } from '../../src/networks/tron/address.js'
import { projectRoot } from '../support/project-root.js'

const FOLDER = join(projectRoot, 'docs/networks')
const page = readFileSync(join(FOLDER, 'README.md'), 'utf8')
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))

interface Token {
  readonly symbol: string
  readonly contract: string
  readonly decimals: number
}

interface Entry {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly claim: string
  readonly testnet: boolean
  readonly chainId?: number
  readonly genesis?: string
  readonly symbol: string
  readonly tokens: readonly Token[]
  readonly tokenStandard?: string
  readonly confirmationMinutes: number
  readonly confirmations?: string | number
  readonly pollMs: number
  readonly explorer: string
}

function entriesOf(file: string): readonly Entry[] {
  return JSON.parse(readFileSync(join(FOLDER, file), 'utf8')).networks
}

function isPositiveInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0
}

/** The properties of an entry, in the order of the file. `urls` are the operator's. */
const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  evm: 'id kind name claim testnet chainId symbol tokens confirmationMinutes confirmations pollMs explorer'.split(' '),
  tron: 'id kind name claim testnet genesis symbol tokens confirmationMinutes walletNodes pollMs explorer'.split(' '),
}

/** What exchanges call them. To an exchange, ERC20 is Ethereum alone: the others go by their names. */
const STANDARDS: Readonly<Record<string, string>> = { ETH: 'ERC20', TRX: 'TRC20', BNB: 'BEP20' }

describe('docs/networks', () => {
  for (const file of files) {
    test(`${file} describes one main network`, () => {
      const [entry, ...more] = entriesOf(file)
      assert.ok(entry !== undefined && more.length === 0)
      const { id, kind, name, claim, testnet, symbol, tokens, pollMs, explorer } = entry
      const { tokenStandard, ...rest } = entry
      assert.deepEqual(Object.keys(rest), PROPERTIES[kind])
      assert.equal(tokenStandard, STANDARDS[id])
      assert.ok(isPositiveInteger(rest.confirmationMinutes))
      assert.match(id, /^[A-Z0-9-]{2,16}$/)
      assert.match(name, /^[A-Z][A-Za-z ]+$/)
      assert.match(claim, /^[a-z0-9-]+\/[a-z0-9-]+$/)
      assert.equal(claim.split('/')[1], symbol.toLowerCase())
      assert.equal(testnet, false)
      assert.match(symbol, /^[A-Z]{3}$/)
      assert.deepEqual(
        tokens.map((token) => token.symbol),
        id === 'TRX' ? ['USDT'] : ['USDT', 'USDC'],
      )
      for (const token of tokens) {
        assert.deepEqual(Object.keys(token), ['symbol', 'contract', 'decimals'])
        assert.equal(token.decimals, id === 'BNB' ? 18 : 6)
      }
      assert.ok(isPositiveInteger(pollMs) && pollMs >= 100 && pollMs <= 600_000, `${pollMs} ms`)
      assert.ok(isExplorer(explorer), explorer)
    })

    test(`${file} has identifiers of its kind, and contracts with the right checksum`, () => {
      for (const { kind, chainId, genesis, confirmations, tokens } of entriesOf(file)) {
        if (kind === 'evm') {
          assert.ok(isPositiveInteger(chainId), String(chainId))
          assert.ok(['finalized', 'safe'].includes(String(confirmations)) || isPositiveInteger(confirmations))
          for (const { contract } of tokens) {
            assert.match(contract, /^0x[0-9A-Fa-f]{40}$/)
            assert.equal(contract, checksummedAddress(Buffer.from(contract.slice(2), 'hex')))
          }
        } else {
          assert.ok(isBlockId(genesis ?? ''), genesis)
          for (const { contract } of tokens) assert.notEqual(accountOfAddress(contract), null, contract)
        }
      }
    })
  }

  test('the service reads all of them as one file, and each by itself, without a problem', () => {
    const all = files.flatMap(entriesOf)
    for (const entries of [all, ...all.map((entry) => [entry])]) {
      const problems: string[] = []
      const read = parseNetworks(JSON.stringify({ networks: entries }), {}, problems)
      assert.deepEqual(problems, [])
      assert.deepEqual(
        read.map(({ id, tokens }) => ({ id, tokens })),
        entries.map(({ id, tokens }) => ({
          id,
          tokens: tokens.map((token) => ({ currency: token.symbol, ...token })),
        })),
      )
    }
  })

  test('TRON begins with block 0, whose id ends with the chain id that nodes report', () => {
    const [tron] = entriesOf('tron.json')
    assert.match(tron?.genesis ?? '', /^0{16}/)
    assert.equal(Number.parseInt(tron?.genesis?.slice(-8) ?? '', 16), 728_126_428)
  })

  test('no two entries share what must be unique', () => {
    const entries = files.flatMap(entriesOf)
    assert.ok(entries.length > 1)
    for (const value of [
      (entry: Entry) => entry.id,
      (entry: Entry) => entry.name,
      (entry: Entry) => entry.claim,
      (entry: Entry) => entry.chainId ?? entry.genesis,
      (entry: Entry) => entry.explorer,
    ]) {
      const values = entries.map(value)
      assert.equal(new Set(values).size, values.length, values.join(' '))
    }
  })

  test('the page has a row for each file, with its values', () => {
    const rows = [...page.matchAll(/^\| \[(\S+\.json)\]\(\1\) \|(.*)\|$/gm)].map(([, file = '', cells = '']) => [
      file,
      ...cells.split('|').map((cell) => cell.trim().replaceAll('`', '')),
    ])
    const expected = files.flatMap((file) =>
      entriesOf(file).map(({ id, chainId, genesis, symbol, confirmations, pollMs }) => [
        file,
        id,
        String(chainId ?? genesis),
        symbol,
        String(confirmations ?? ''),
        String(pollMs),
      ]),
    )
    assert.deepEqual(rows.sort(), expected.sort())
  })

  test('the page has a row for each token, no two of one contract, each of sources of two projects', () => {
    const rows = [...page.matchAll(/^\| `([A-Z]+)` \| `([A-Z]+)` \| `(\w+)` \| (\d+) \| .* \| (.*) \|$/gm)]
    const expected = files.flatMap((file) =>
      entriesOf(file).flatMap(({ id, tokens }) =>
        tokens.map(({ symbol, contract, decimals }) => [id, symbol, contract, String(decimals)]),
      ),
    )
    assert.deepEqual(rows.map(([, ...cells]) => cells.slice(0, 4)).sort(), expected.sort())
    assert.equal(new Set(rows.map(([, , , contract]) => contract)).size, rows.length)
    for (const [row, , , , , sources = ''] of rows) {
      assert.ok(new Set(sources.match(/\[\d+\]/g)).size >= 2, row)
    }
  })

  test('the page cites sources that it lists, and lists none that it does not cite', () => {
    const [claims = '', sources = ''] = page.split('\n## Sources\n')
    const cited = new Set([...claims.matchAll(/\[(\d+)\](?!\()/g)].map(([, number]) => Number(number)))
    const listed = [...sources.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
    assert.ok(listed.length > 0)
    assert.deepEqual(
      [...cited].sort((a, b) => a - b),
      listed,
    )
  })

  test('the page links to repositories at a commit, since their branches change', () => {
    const links = [...page.matchAll(/https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(?:blob|tree)\/([^/)]+)/g)]
    assert.ok(links.length > 0)
    for (const [link, revision = ''] of links) assert.match(revision, /^[0-9a-f]{40}$/, link)
  })
})
