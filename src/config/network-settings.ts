import { each, isBlockId, isEndpoint, isEvmAddress, isTronAddress } from './checks.js'
import { integer, list, optional, type Setting, type SettingAbout, text, textOfLength } from './setting.js'

const HEIGHT_LIMIT = 2 ** 47
const CONFIRMATIONS_LIMIT = 10_000
const POLL_MINIMUM_MS = 100
const POLL_LIMIT_MS = 600_000
const TIMEOUT_LIMIT_MS = 120_000
const CALLS_LIMIT = 1000
const RANGE_LIMIT = 10_000
const LAG_LIMIT_SECONDS = 7 * 24 * 60 * 60
const API_KEY_LENGTH_LIMIT = 256

const ENDPOINTS = 'a comma-separated list of absolute http or https URLs without fragment, which are never printed'

/** A word, or an integer in decimal digits. */
function wordOrInteger<const Word extends string>(
  word: Word,
  minimum: number,
  maximum: number,
  about: Omit<SettingAbout, 'expects'>,
): Setting<Word | number> {
  const number = integer(minimum, maximum, about)
  const expects = `${word} or ${number.about.expects}`
  return { about: { ...about, expects }, read: (given) => (given === word ? word : number.read(given)) }
}

/** The settings of the networks that are watched. A network without endpoints is not. */
export const networkSettings = {
  sepUrls: list(each(isEndpoint), {
    environment: 'BILLHOOK_SEP_URLS',
    group: 'networks',
    fallbackText: 'none: SEP is not watched',
    expects: ENDPOINTS,
    secret: true,
    sentence: 'JSON-RPC addresses of Ethereum nodes in order of preference. With one, SEP is watched.',
  }),
  sepChainId: integer(1, Number.MAX_SAFE_INTEGER, {
    environment: 'BILLHOOK_SEP_CHAIN_ID',
    group: 'networks',
    fallback: '11155111',
    sentence: 'The chain that the Ethereum nodes must be of.',
  }),
  sepToken: optional(
    text(isEvmAddress, {
      environment: 'BILLHOOK_SEP_TOKEN',
      group: 'networks',
      fallbackText: 'none; needed to watch SEP',
      expects: 'an address of 0x and 40 hex digits',
      sentence: 'The contract of the token on SEP (USDT). It must have the decimals of the setting above.',
    }),
  ),
  sepConfirmations: wordOrInteger('finalized', 1, CONFIRMATIONS_LIMIT, {
    environment: 'BILLHOOK_SEP_CONFIRMATIONS',
    group: 'networks',
    unit: 'blocks',
    fallback: '12',
    sentence:
      "Blocks, a deposit's own included, that confirm it; or finalized, when the chain's consensus has done so.",
  }),
  sepStart: wordOrInteger('latest', 0, HEIGHT_LIMIT, {
    environment: 'BILLHOOK_SEP_START',
    group: 'networks',
    fallback: 'latest',
    sentence: 'The first block that is read when SEP was never watched before; latest is the last confirmed one.',
  }),
  sepPollMs: integer(POLL_MINIMUM_MS, POLL_LIMIT_MS, {
    environment: 'BILLHOOK_SEP_POLL_MS',
    group: 'networks',
    unit: 'milliseconds',
    fallback: '4000',
    sentence: 'Pause between two questions for the newest block of SEP.',
  }),
  sepBatch: integer(1, CALLS_LIMIT, {
    environment: 'BILLHOOK_SEP_BATCH',
    group: 'networks',
    unit: 'calls',
    fallback: '50',
    sentence: 'Calls in one JSON-RPC request at the most; 1 for nodes that take no batches.',
  }),
  sepRange: integer(1, RANGE_LIMIT, {
    environment: 'BILLHOOK_SEP_RANGE',
    group: 'networks',
    unit: 'blocks',
    fallback: '200',
    sentence: 'Blocks that are read at once to catch up, at the most; fewer when a node refuses so many.',
  }),
  trxNileUrls: list(each(isEndpoint), {
    environment: 'BILLHOOK_TRX_NILE_URLS',
    group: 'networks',
    fallbackText: 'none: TRX-NILE is not watched',
    expects: ENDPOINTS,
    secret: true,
    sentence: 'REST addresses of TRON nodes, without /wallet, in order of preference. With one, TRX-NILE is watched.',
  }),
  trxNileApiKey: optional(
    textOfLength(1, API_KEY_LENGTH_LIMIT, {
      environment: 'BILLHOOK_TRX_NILE_API_KEY',
      group: 'networks',
      fallbackText: 'none',
      expects: `a text of 1 to ${API_KEY_LENGTH_LIMIT} characters`,
      secret: true,
      sentence: 'Sent to the TRON nodes as TRON-PRO-API-KEY.',
    }),
  ),
  trxNileGenesis: text(isBlockId, {
    environment: 'BILLHOOK_TRX_NILE_GENESIS',
    group: 'networks',
    fallback: '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc',
    expects: '64 lower-case hex digits',
    sentence: "The id of the network's first block, which the TRON nodes must have.",
  }),
  trxNileToken: optional(
    text(isTronAddress, {
      environment: 'BILLHOOK_TRX_NILE_TOKEN',
      group: 'networks',
      fallbackText: 'none; needed to watch TRX-NILE',
      expects: 'an address that begins with T, of 34 characters',
      sentence: 'The contract of the token on TRX-NILE (USDT). It must have the decimals of the setting above.',
    }),
  ),
  trxNileStart: wordOrInteger('latest', 0, HEIGHT_LIMIT, {
    environment: 'BILLHOOK_TRX_NILE_START',
    group: 'networks',
    fallback: 'latest',
    sentence: 'The first block that is read when TRX-NILE was never watched before; latest is the last solidified one.',
  }),
  trxNilePollMs: integer(POLL_MINIMUM_MS, POLL_LIMIT_MS, {
    environment: 'BILLHOOK_TRX_NILE_POLL_MS',
    group: 'networks',
    unit: 'milliseconds',
    fallback: '3000',
    sentence: 'Pause between two questions for the newest block of TRX-NILE.',
  }),
  nodeTimeoutMs: integer(1, TIMEOUT_LIMIT_MS, {
    environment: 'BILLHOOK_NODE_TIMEOUT_MS',
    group: 'networks',
    unit: 'milliseconds',
    fallback: '15000',
    sentence: 'Time that one request to a node of a network may take.',
  }),
  watchLagSeconds: integer(1, LAG_LIMIT_SECONDS, {
    environment: 'BILLHOOK_WATCH_LAG_SECONDS',
    group: 'observation',
    unit: 'seconds',
    fallback: '300',
    sentence: 'Age of the last block that was read from which on /readyz calls the service degraded.',
  }),
}
