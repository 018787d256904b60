import { isBlockId, isEndpoint, isExplorer } from '../../base/network-texts.js'
import { areTokens } from '../../networks/catalogue/tokens.js'
import { isTronUrl } from '../../networks/catalogue/tron-url.js'
import { each, isEvmAddress, isPath, isTronAddress } from '../checks.js'
import { integer, list, optional, quantity, type Setting, type SettingAbout, text } from '../setting.js'
import { pollPause } from './poll-pause.js'

const HEIGHT_LIMIT = 2 ** 47
/** Sums are exact to 18 decimal places (specification, Limits), so a token cannot have more. */
const TOKEN_DECIMALS_LIMIT = 18
const API_KEY_LENGTH_LIMIT = 256
const SKIP_AFTER_LIMIT_SECONDS = 30 * 86_400

const TOKENS =
  'a comma-separated list of at most 7 times SYMBOL:contract:decimals, no symbol or contract twice, and none of them USDT'

const ENDPOINTS = 'a comma-separated list of absolute http or https URLs without fragment; they are never printed'

/** One of the words, or an integer in decimal digits. */
function wordOrInteger<const Word extends string>(
  words: readonly Word[],
  minimum: number,
  maximum: number,
  about: Omit<SettingAbout, 'expects'>,
): Setting<Word | number> {
  const number = integer(minimum, maximum, about)
  const expects = `${words.join(', ')} or ${number.about.expects}`
  return {
    about: { ...about, expects },
    read: (given) => words.find((word) => word === given) ?? number.read(given),
  }
}

/** The page of a transaction in a block explorer; null for none. */
function explorer(network: string, fallback: string): Setting<string | null> {
  const about = {
    fallback,
    expects: 'off, or an https URL with {txHash} once behind its host',
    sentence: `The page of a block explorer to which the payment page links the transactions of ${network}; off shows them without a link.`,
  }
  return { about, read: (given) => (given === 'off' ? null : isExplorer(given) ? given : undefined) }
}

/** The watched networks. A network without endpoints is not watched. */
export const networks = {
  networks: optional.text(isPath, {
    fallbackText: 'none: SEP and TRX-NILE only',
    expects: 'a path',
    sentence: 'A file in JSON that adds networks to SEP and TRX-NILE (networks/other-networks.md).',
  }),
  sepTokenDecimals: quantity(0, TOKEN_DECIMALS_LIMIT, 'digits', {
    fallback: '6',
    sentence: 'The number of decimals of the token on SEP.',
  }),
  trxNileTokenDecimals: quantity(0, TOKEN_DECIMALS_LIMIT, 'digits', {
    fallback: '6',
    sentence: 'The number of decimals of the token on TRX-NILE.',
  }),
  sepUrls: list(each(isEndpoint), {
    fallbackText: 'none: SEP is not watched',
    expects: ENDPOINTS,
    secret: true,
    sentence: 'JSON-RPC URLs of Ethereum nodes, in order of preference. Setting it switches the watching of SEP on.',
  }),
  sepChainId: integer(1, Number.MAX_SAFE_INTEGER, {
    fallback: '11155111',
    sentence: 'The chain id that the Ethereum nodes must report.',
  }),
  sepToken: optional.text(isEvmAddress, {
    fallbackText: 'none; needed to watch SEP',
    expects: 'an address of 0x and 40 hex digits',
    sentence: 'The contract of the token on SEP (USDT). Its decimals must be those configured for SEP.',
  }),
  sepTokens: list((entries) => areTokens(entries, isEvmAddress), {
    fallbackText: 'none beside BILLHOOK_SEP_TOKEN',
    expects: TOKENS,
    sentence: 'Further tokens on SEP, each with its contract and its decimals: USDC:0x…:6.',
  }),
  sepConfirmations: wordOrInteger(['finalized', 'safe'], 1, 10_000, {
    unit: 'blocks',
    fallback: '12',
    sentence:
      "The number of blocks that confirm a deposit, its own block included; or a tag of the node's: finalized, or safe, which is earlier and weaker.",
  }),
  sepStart: wordOrInteger(['latest'], 0, HEIGHT_LIMIT, {
    fallback: 'latest',
    sentence:
      'The first block to read when SEP has never been watched; latest is where SEP stood when it was first configured, or at its oldest wallet.',
  }),
  sepPollMs: pollPause({
    fallback: '4000',
    sentence: 'The pause between two polls for the newest block of SEP.',
  }),
  sepBatch: quantity(1, 1000, 'calls', {
    fallback: '50',
    sentence: 'The maximum number of calls in one JSON-RPC request; use 1 for nodes that do not accept batches.',
  }),
  sepRange: quantity(1, 10_000, 'blocks', {
    fallback: '200',
    sentence: 'The maximum number of blocks to read at once when catching up. If a node refuses, fewer are read.',
  }),
  sepExplorer: explorer('SEP', 'https://sepolia.etherscan.io/tx/{txHash}'),
  trxNileUrls: list(each(isTronUrl), {
    fallbackText: 'none: TRX-NILE is not watched',
    expects: `${ENDPOINTS}, or of pairs of them joined by |`,
    secret: true,
    sentence:
      'REST URLs of TRON nodes, without /wallet, in order of preference. A node with a port for each side is named by both: the URL for /wallet, |, and the URL for /walletsolidity. Setting it switches the watching of TRX-NILE on.',
  }),
  trxNileApiKey: optional.textOfLength(1, API_KEY_LENGTH_LIMIT, {
    fallbackText: 'none',
    expects: `a text of 1 to ${API_KEY_LENGTH_LIMIT} characters`,
    secret: true,
    sentence: 'The API key to send to the TRON nodes in the header TRON-PRO-API-KEY.',
  }),
  trxNileGenesis: text(isBlockId, {
    fallback: '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc',
    expects: '64 lower-case hex digits',
    sentence: 'The id of the first block that the TRON nodes must report.',
  }),
  trxNileToken: optional.text(isTronAddress, {
    fallbackText: 'none; needed to watch TRX-NILE',
    expects: 'an address of 34 characters that begins with T',
    sentence: 'The contract of the token on TRX-NILE (USDT). Its decimals must be those configured for TRX-NILE.',
  }),
  trxNileTokens: list((entries) => areTokens(entries, isTronAddress), {
    fallbackText: 'none beside BILLHOOK_TRX_NILE_TOKEN',
    expects: TOKENS,
    sentence: 'Further tokens on TRX-NILE, each with its contract and its decimals: USDC:T…:6.',
  }),
  trxNileStart: wordOrInteger(['latest'], 0, HEIGHT_LIMIT, {
    fallback: 'latest',
    sentence:
      'The first block to read when TRX-NILE has never been watched; latest is where TRX-NILE stood when it was first configured, or at its oldest wallet.',
  }),
  trxNilePollMs: pollPause({
    fallback: '7000',
    sentence: 'The pause between two polls for the newest block of TRX-NILE.',
  }),
  trxNileExplorer: explorer('TRX-NILE', 'https://nile.tronscan.org/#/transaction/{txHash}'),
  skipAfter: quantity(0, SKIP_AFTER_LIMIT_SECONDS, 'seconds', {
    fallback: '900',
    sentence:
      'How long a block that no node can give holds up its network; then it is set aside, and asked for in the background. 0 waits for ever.',
  }),
  nodeTimeoutMs: quantity(1, 120_000, 'milliseconds', {
    fallback: '15000',
    sentence: 'The timeout of one request to a node of a watched network.',
  }),
}
