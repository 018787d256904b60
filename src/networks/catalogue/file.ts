import { readFileStart } from '../../base/file-start.js'
import { isObject } from '../../base/json-object.js'
import { isBlockId, isEndpoint, isExplorer, isOrigin } from '../../base/network-texts.js'
import { readFailure } from '../../base/read-failure.js'
import { isNetworkId, NETWORK_KINDS } from '../../domain/network.js'
import { SEP, TRX_NILE } from './built-in.js'
import { FINALITY_TAGS, type NetworkEntry, type TronUrl } from './entry.js'
import { Fields } from './fields.js'
import { readTokens } from './tokens.js'

const FILE_LIMIT_BYTES = 1_048_576
const TEXT_LENGTH_MAX = 40
const SYMBOL = /^[A-Za-z0-9.]{1,16}$/
const CLAIM = /^[a-z0-9-]{1,32}\/[a-z0-9-]{1,32}$/
const CONFIRMATIONS_MAX = 10_000
const HEIGHT_MAX = 2 ** 47
const POLL_MS = [100, 600_000] as const
const QUIET_SECONDS_RANGE = [10, 7 * 24 * 60 * 60] as const
const BATCH_MAX = 1000
const RANGE_MAX = 10_000
const API_KEY_LENGTH_MAX = 256

const URL_FORM = 'an absolute http or https URL without fragment'

const TOKEN_STANDARD = /^[A-Za-z0-9][A-Za-z0-9 .-]{0,15}$/
const WALLET_NODES_MAX = 4
const CONFIRMATION_MINUTES = [1, 10_080] as const

/** What a file leaves out, as the built-in networks have it. */
const DEFAULTS = { confirmations: 12, evmPollMs: 4000, tronPollMs: 7000, batch: 50, range: 200 } as const

const ENTRY = [
  'id',
  'kind',
  'name',
  'claim',
  'testnet',
  'symbol',
  'token',
  'tokens',
  'tokenStandard',
  'confirmationMinutes',
  'urls',
  'start',
  'pollMs',
  'quietSeconds',
  'explorer',
]
const OF_KIND = {
  evm: [...ENTRY, 'chainId', 'confirmations', 'batch', 'range', 'traces'],
  tron: [...ENTRY, 'genesis', 'apiKey', 'walletNodes'],
} as const

/** Names of environment variables in texts of the file. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The entries of the operator's file (decisions 11). Every problem is added to `problems`, one line each, with its JSON path and
 * without the contents of URLs and keys; none is returned then.
 */
export function readNetworksFile(path: string, environment: Environment, problems: string[]): readonly NetworkEntry[] {
  let text: string
  try {
    const bytes = readFileStart(path, FILE_LIMIT_BYTES)
    if (bytes.length > FILE_LIMIT_BYTES) throw new Error(`it is longer than ${FILE_LIMIT_BYTES} bytes`)
    text = bytes.toString('utf8')
  } catch (error) {
    problems.push(`BILLHOOK_NETWORKS: cannot use the file ${JSON.stringify(path)}: ${readFailure(error)}.`)
    return []
  }
  const found: string[] = []
  const entries = parseNetworks(text, environment, found)
  problems.push(...found.map((problem) => `BILLHOOK_NETWORKS: ${problem}.`))
  return found.length === 0 ? entries : []
}

/** The same of the text of a file; the problems begin with the JSON path. */
export function parseNetworks(text: string, environment: Environment, problems: string[]): readonly NetworkEntry[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    problems.push(`$ is not JSON: ${(error as Error).message.replaceAll(/\s+/g, ' ')}`)
    return []
  }
  const file = Fields.of(value, '$', environment, problems)
  if (file === null) return []
  file.only(['networks'])
  const networks = file.value('networks')
  if (!Array.isArray(networks)) {
    file.wrong('networks', 'must be a list')
    return []
  }
  const entries = networks.map((one: unknown, i) => readEntry(one, `$.networks[${i}]`, environment, problems))
  refuseRepeated('id', [SEP.id, TRX_NILE.id], networks, problems)
  refuseRepeated('claim', [SEP.claim, TRX_NILE.claim], networks, problems)
  return entries.filter((entry) => entry !== null)
}

function readEntry(value: unknown, path: string, environment: Environment, problems: string[]): NetworkEntry | null {
  const fields = Fields.of(value, path, environment, problems)
  if (fields === null) return null
  const before = problems.length
  const kind = fields.oneOf('kind', NETWORK_KINDS)
  fields.only(kind === null ? [...OF_KIND.evm, ...OF_KIND.tron] : OF_KIND[kind])
  const common = {
    id: fields.text('id', isNetworkId, '2 to 16 capital letters, digits and hyphens'),
    name: fields.text('name', isName, `a text of 1 to ${TEXT_LENGTH_MAX} characters`),
    claim: fields.text('claim', (text) => CLAIM.test(text), 'two path segments, such as ethereum/eth'),
    testnet: fields.flag('testnet', false),
    symbol: fields.text('symbol', (text) => SYMBOL.test(text), '1 to 16 letters and digits'),
    tokens: readTokens(fields, kind),
    tokenStandard: fields.has('tokenStandard')
      ? fields.text(
          'tokenStandard',
          (text) => TOKEN_STANDARD.test(text),
          '1 to 16 letters, digits, blanks, points and hyphens',
        )
      : null,
    confirmationMinutes: fields.has('confirmationMinutes')
      ? fields.whole('confirmationMinutes', ...CONFIRMATION_MINUTES)
      : null,
    start: fields.has('start') ? fields.wordOrWhole('start', ['latest'], 0, HEIGHT_MAX) : ('latest' as const),
    quietSeconds: fields.has('quietSeconds') ? fields.whole('quietSeconds', ...QUIET_SECONDS_RANGE) : null,
    explorer: fields.has('explorer')
      ? fields.text('explorer', isExplorer, 'an https URL with {txHash} once behind its host')
      : null,
  }
  if (kind === null) return null
  const own =
    kind === 'tron'
      ? {
          kind,
          urls: readUrls(fields, readTronUrl),
          genesis: fields.text('genesis', isBlockId, '64 lower-case hex digits'),
          walletNodes: readOrigins(fields),
          apiKey: fields.has('apiKey')
            ? fields.secret('apiKey', isKey, `a text of 1 to ${API_KEY_LENGTH_MAX} characters`)
            : null,
          pollMs: fields.whole('pollMs', ...POLL_MS, DEFAULTS.tronPollMs),
        }
      : {
          kind,
          urls: readUrls(fields, readUrl),
          chainId: fields.whole('chainId', 1, Number.MAX_SAFE_INTEGER),
          confirmations: fields.has('confirmations')
            ? fields.wordOrWhole('confirmations', FINALITY_TAGS, 1, CONFIRMATIONS_MAX)
            : DEFAULTS.confirmations,
          batch: fields.whole('batch', 1, BATCH_MAX, DEFAULTS.batch),
          range: fields.whole('range', 1, RANGE_MAX, DEFAULTS.range),
          traces: fields.flag('traces', false),
          pollMs: fields.whole('pollMs', ...POLL_MS, DEFAULTS.evmPollMs),
        }
  // What could not be read has left a problem.
  return problems.length > before ? null : ({ ...common, ...own } as NetworkEntry)
}

function isName(text: string): boolean {
  const { length } = [...text]
  return length >= 1 && length <= TEXT_LENGTH_MAX && text.trim() === text && !/\p{C}/u.test(text)
}

function isKey(text: string): boolean {
  return text !== '' && text.length <= API_KEY_LENGTH_MAX && !/[\r\n]/.test(text)
}

function readUrls<T>(fields: Fields, read: (fields: Fields, index: number, url: unknown) => T): readonly T[] {
  if (!fields.has('urls')) return []
  const urls = fields.value('urls')
  if (!Array.isArray(urls) || urls.length === 0) {
    fields.wrong('urls', 'must be a list of URLs; leave it out for a network that is not watched')
    return []
  }
  return urls.map((url: unknown, i) => read(fields, i, url))
}

function readUrl(fields: Fields, index: number): string {
  return fields.secretOf('urls', index, isEndpoint, URL_FORM)
}

function readOrigins(fields: Fields): readonly string[] {
  const origins = fields.has('walletNodes') ? fields.value('walletNodes') : []
  const isList = Array.isArray(origins) && origins.length <= WALLET_NODES_MAX
  if (isList && origins.every((one) => typeof one === 'string' && isOrigin(one))) return origins
  fields.wrong(
    'walletNodes',
    `must be a list of at most ${WALLET_NODES_MAX} https origins, such as "https://api.trongrid.io"`,
  )
  return []
}

/** A node of TRON is at one address, or at one for each side. */
function readTronUrl(fields: Fields, index: number, url: unknown): TronUrl {
  if (!isObject(url)) return { full: readUrl(fields, index), solidity: null }
  const sides = fields.item('urls', index)
  sides?.only(['full', 'solidity'])
  return {
    full: sides?.secret('full', isEndpoint, URL_FORM) ?? '',
    solidity: sides?.secret('solidity', isEndpoint, URL_FORM) ?? null,
  }
}

/** Says of each entry that has what a built-in network or an entry before it has. */
function refuseRepeated(
  name: 'id' | 'claim',
  builtIn: readonly string[],
  networks: readonly unknown[],
  problems: string[],
): void {
  const taken = new Map<unknown, string>(builtIn.map((value) => [value, 'a built-in network']))
  for (const [i, one] of networks.entries()) {
    const value = isObject(one) ? one[name] : undefined
    if (typeof value !== 'string') continue
    const by = taken.get(value)
    if (by !== undefined) problems.push(`$.networks[${i}].${name} ${JSON.stringify(value)} is that of ${by}`)
    else taken.set(value, `$.networks[${i}]`)
  }
}
