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

const ENDPOINTS = 'a comma-separated list of absolute http or https URLs without fragment; they are never printed'

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

/** The settings of watched networks. A network without endpoints is not watched. */
export const networkSettings = {
  sepUrls: list(each(isEndpoint), {
    environment: 'BILLHOOK_SEP_URLS',
    group: 'networks',
    fallbackText: 'none: SEP is not watched',
    expects: ENDPOINTS,
    secret: true,
    sentence: 'JSON-RPC URLs of Ethereum nodes, in order of preference. Setting it switches the watching of SEP on.',
  }),
  sepChainId: integer(1, Number.MAX_SAFE_INTEGER, {
    environment: 'BILLHOOK_SEP_CHAIN_ID',
    group: 'networks',
    fallback: '11155111',
    sentence: 'The chain id that the Ethereum nodes must report.',
  }),
  sepToken: optional(
    text(isEvmAddress, {
      environment: 'BILLHOOK_SEP_TOKEN',
      group: 'networks',
      fallbackText: 'none; needed to watch SEP',
      expects: 'an address of 0x and 40 hex digits',
      sentence: 'The contract of the token on SEP (USDT). Its decimals must be those configured for SEP.',
    }),
  ),
  sepConfirmations: wordOrInteger('finalized', 1, CONFIRMATIONS_LIMIT, {
    environment: 'BILLHOOK_SEP_CONFIRMATIONS',
    group: 'networks',
    unit: 'blocks',
    fallback: '12',
    sentence:
      'The number of blocks that confirm a deposit, its own block included; or finalized, to wait for finality.',
  }),
  sepStart: wordOrInteger('latest', 0, HEIGHT_LIMIT, {
    environment: 'BILLHOOK_SEP_START',
    group: 'networks',
    fallback: 'latest',
    sentence: 'The first block to read when SEP has never been watched; latest is the newest confirmed block.',
  }),
  sepPollMs: integer(POLL_MINIMUM_MS, POLL_LIMIT_MS, {
    environment: 'BILLHOOK_SEP_POLL_MS',
    group: 'networks',
    unit: 'milliseconds',
    fallback: '4000',
    sentence: 'The pause between two polls for the newest block of SEP.',
  }),
  sepBatch: integer(1, CALLS_LIMIT, {
    environment: 'BILLHOOK_SEP_BATCH',
    group: 'networks',
    unit: 'calls',
    fallback: '50',
    sentence: 'The maximum number of calls in one JSON-RPC request; use 1 for nodes that do not accept batches.',
  }),
  sepRange: integer(1, RANGE_LIMIT, {
    environment: 'BILLHOOK_SEP_RANGE',
    group: 'networks',
    unit: 'blocks',
    fallback: '200',
    sentence: 'The maximum number of blocks to read at once when catching up. If a node refuses, fewer are read.',
  }),
  trxNileUrls: list(each(isEndpoint), {
    environment: 'BILLHOOK_TRX_NILE_URLS',
    group: 'networks',
    fallbackText: 'none: TRX-NILE is not watched',
    expects: ENDPOINTS,
    secret: true,
    sentence:
      'REST URLs of TRON nodes, without /wallet, in order of preference. Setting it switches the watching of TRX-NILE on.',
  }),
  trxNileApiKey: optional(
    textOfLength(1, API_KEY_LENGTH_LIMIT, {
      environment: 'BILLHOOK_TRX_NILE_API_KEY',
      group: 'networks',
      fallbackText: 'none',
      expects: `a text of 1 to ${API_KEY_LENGTH_LIMIT} characters`,
      secret: true,
      sentence: 'The API key to send to the TRON nodes in the header TRON-PRO-API-KEY.',
    }),
  ),
  trxNileGenesis: text(isBlockId, {
    environment: 'BILLHOOK_TRX_NILE_GENESIS',
    group: 'networks',
    fallback: '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc',
    expects: '64 lower-case hex digits',
    sentence: 'The id of the first block that the TRON nodes must report.',
  }),
  trxNileToken: optional(
    text(isTronAddress, {
      environment: 'BILLHOOK_TRX_NILE_TOKEN',
      group: 'networks',
      fallbackText: 'none; needed to watch TRX-NILE',
      expects: 'an address of 34 characters that begins with T',
      sentence: 'The contract of the token on TRX-NILE (USDT). Its decimals must be those configured for TRX-NILE.',
    }),
  ),
  trxNileStart: wordOrInteger('latest', 0, HEIGHT_LIMIT, {
    environment: 'BILLHOOK_TRX_NILE_START',
    group: 'networks',
    fallback: 'latest',
    sentence: 'The first block to read when TRX-NILE has never been watched; latest is the newest solidified block.',
  }),
  trxNilePollMs: integer(POLL_MINIMUM_MS, POLL_LIMIT_MS, {
    environment: 'BILLHOOK_TRX_NILE_POLL_MS',
    group: 'networks',
    unit: 'milliseconds',
    fallback: '3000',
    sentence: 'The pause between two polls for the newest block of TRX-NILE.',
  }),
  nodeTimeoutMs: integer(1, TIMEOUT_LIMIT_MS, {
    environment: 'BILLHOOK_NODE_TIMEOUT_MS',
    group: 'networks',
    unit: 'milliseconds',
    fallback: '15000',
    sentence: 'The timeout of one request to a node of a watched network.',
  }),
  watchLagSeconds: integer(1, LAG_LIMIT_SECONDS, {
    environment: 'BILLHOOK_WATCH_LAG_SECONDS',
    group: 'observation',
    unit: 'seconds',
    fallback: '300',
    sentence:
      'The lag of a watched network or of the ledger follower from which /readyz reports the service as degraded.',
  }),
}
