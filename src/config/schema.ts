import { areOrigins, each, isBaseUrl, isCidr, isFollowedContract, isHost, isPath } from './checks.js'
import { networkSettings } from './network-settings.js'
import { choice, integer, list, onOff, optional, type Setting, text, textOfLength } from './setting.js'

const SECRET_LENGTH_MINIMUM_CHARACTERS = 16
const VERIFY_THREADS_LIMIT = 256
const KEY_TABLES_LIMIT = 8192

const PORT_LIMIT = 65_535
const ONBOARDING_NAME_LENGTH_LIMIT = 256
/** A limit above a thousand requests a second from one address would protect nothing. */
const RATE_LIMIT_LIMIT = 60_000
const CLAIMS_PER_ADDRESS_LIMIT = 10_000
/** As in a request (decisions 4). */
const INVOICE_EXPIRY_MINIMUM_SECONDS = 60
const INVOICE_EXPIRY_LIMIT_SECONDS = 31_536_000
const LEASE_LIMIT_SECONDS = 7 * 24 * 60 * 60
const KEEP_MINIMUM_DAYS = 30
const KEEP_LIMIT_DAYS = 36_500
const LEDGER_TIMEOUT_LIMIT_MS = 60_000
const LEDGER_POLL_MINIMUM_MS = 100
const LEDGER_POLL_LIMIT_MS = 600_000
const LEDGER_OVERLAP_LIMIT_SECONDS = 24 * 60 * 60
/** The last time with 13 digits, in the year 2286: nodes compare times as text. */
const TIME_LIMIT_MS = 9_999_999_999_999
const WEBHOOK_CONCURRENCY_LIMIT = 4096
const WEBHOOK_ATTEMPTS_LIMIT = 20
/** Sums are exact to 18 decimal places (specification, Limits), so a token cannot have more. */
const TOKEN_DECIMALS_LIMIT = 18

/** Every setting. The type `Settings`, the checks, `--help` and docs/settings.md are derived from this schema. */
export const settingsSchema = {
  host: text(isHost, {
    environment: 'BILLHOOK_HOST',
    group: 'essentials',
    flag: '--host',
    fallback: '127.0.0.1',
    expects: 'an IP address (IPv6 without brackets) or a host name',
    sentence: 'The address to listen on.',
  }),
  port: integer(0, PORT_LIMIT, {
    environment: 'BILLHOOK_PORT',
    group: 'essentials',
    flag: '--port',
    fallback: '8080',
    sentence: 'The port to listen on; 0 picks a free one, which the ready line names.',
  }),
  dataDirectory: text(isPath, {
    environment: 'BILLHOOK_DATA',
    group: 'essentials',
    flag: '--data',
    fallback: './data',
    expects: 'a path',
    sentence:
      'The directory that holds all state. It is created if missing, and only one process can use it at a time.',
  }),
  sandbox: onOff({
    environment: 'BILLHOOK_SANDBOX',
    group: 'essentials',
    flag: '--sandbox',
    switch: true,
    fallback: 'off',
    sentence:
      'Run with a simulated ledger and simulated networks inside the process. Cannot be combined with a real ledger or real networks.',
  }),
  publicUrl: optional(
    text(isBaseUrl, {
      environment: 'BILLHOOK_PUBLIC_URL',
      group: 'essentials',
      base: true,
      fallbackText: 'derived from the listen address',
      expects: 'an absolute http or https URL without query, fragment or credentials',
      sentence: 'The URL under which clients reach the service.',
    }),
  ),
  gatewaySecret: optional(
    textOfLength(SECRET_LENGTH_MINIMUM_CHARACTERS, Number.POSITIVE_INFINITY, {
      environment: 'BILLHOOK_GATEWAY_SECRET',
      group: 'essentials',
      fallbackText: 'none: POST /internal/events is 404',
      expects: `at least ${SECRET_LENGTH_MINIMUM_CHARACTERS} characters long`,
      sentence: 'The secret with which the ledger gateway signs the events that it pushes.',
      secret: true,
    }),
  ),
  verifyThreads: integer(1, VERIFY_THREADS_LIMIT, {
    environment: 'BILLHOOK_VERIFY_THREADS',
    group: 'tuning',
    unit: 'threads',
    fallback: ({ cores }) => String(Math.min(Math.max(cores - 1, 1), VERIFY_THREADS_LIMIT)),
    fallbackText: 'cores - 1, at least 1',
    sentence: 'The number of threads that verify request signatures.',
  }),
  verifyEngine: choice(['auto', 'libsecp256k1', 'noble'], {
    environment: 'BILLHOOK_VERIFY_ENGINE',
    group: 'tuning',
    fallback: 'auto',
    sentence: 'The secp256k1 implementation; auto uses libsecp256k1 if its binary loads, else noble.',
  }),
  keyTables: integer(0, KEY_TABLES_LIMIT, {
    environment: 'BILLHOOK_KEY_TABLES',
    group: 'tuning',
    unit: 'keys',
    fallback: '256',
    sentence:
      'The number of frequently used keys for which each verification thread keeps a table of 148 KiB; 0 for none.',
  }),
  httpServer: choice(['auto', 'uws', 'node'], {
    environment: 'BILLHOOK_HTTP',
    group: 'tuning',
    fallback: 'auto',
    sentence: 'The HTTP server; auto uses uWebSockets.js if it has a binary for this version of Node, else node:http.',
  }),
  metricsPort: optional(
    integer(0, PORT_LIMIT, {
      environment: 'BILLHOOK_METRICS_PORT',
      group: 'observation',
      fallbackText: 'none: metrics are off',
      sentence: 'The port that serves GET /metrics for Prometheus; 0 picks a free one, which is printed at start.',
    }),
  ),
  metricsHost: text(isHost, {
    environment: 'BILLHOOK_METRICS_HOST',
    group: 'observation',
    fallback: '127.0.0.1',
    expects: 'an IP address (IPv6 without brackets) or a host name',
    sentence: 'The address on which the metrics port listens. Anyone who can reach it can read the metrics.',
  }),
  logLevel: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    environment: 'BILLHOOK_LOG',
    group: 'observation',
    fallback: 'info',
    sentence: 'The lowest level to log; debug adds one line for each request.',
  }),
  corsOrigins: list(areOrigins, {
    environment: 'BILLHOOK_CORS_ORIGINS',
    group: 'access',
    fallbackText: 'off',
    expects: '* or a comma-separated list of origins such as https://shop.example',
    sentence: 'The origins whose pages may call /api from a browser.',
  }),
  sharedWallets: onOff({
    environment: 'BILLHOOK_SHARED_WALLETS',
    group: 'invoices',
    fallback: 'on',
    sentence:
      'Let several unpaid invoices in one currency share a wallet. With off, the second one is rejected, so that each payment belongs to one invoice.',
  }),
  invoiceExpirySeconds: optional(
    integer(INVOICE_EXPIRY_MINIMUM_SECONDS, INVOICE_EXPIRY_LIMIT_SECONDS, {
      environment: 'BILLHOOK_INVOICE_EXPIRY_SECONDS',
      group: 'invoices',
      unit: 'seconds',
      fallbackText: 'none: they never expire',
      sentence: 'The time after which an invoice expires that was created without expiresInSeconds.',
    }),
  ),
  callbackAllow: list(each(isCidr), {
    environment: 'BILLHOOK_CALLBACK_ALLOW',
    group: 'webhooks',
    fallbackText: 'none',
    expects: 'a comma-separated list of networks such as 10.1.0.0/16 or fd00::/8',
    sentence:
      'Non-public networks to which webhooks may be sent. By default there are none, unless the service is private to its machine: it listens on loopback, has no public URL beyond loopback and no trusted proxies, and is not in strict mode.',
  }),
  webhookConcurrency: integer(1, WEBHOOK_CONCURRENCY_LIMIT, {
    environment: 'BILLHOOK_WEBHOOK_CONCURRENCY',
    group: 'webhooks',
    unit: 'deliveries',
    fallback: '256',
    sentence:
      'The maximum number of webhook deliveries in progress, to all destinations together. Deliveries that have waited for an answer for more than a second do not count; up to as many again may be in progress.',
  }),
  webhookConcurrencyPerDestination: integer(1, WEBHOOK_CONCURRENCY_LIMIT, {
    environment: 'BILLHOOK_WEBHOOK_CONCURRENCY_PER_DESTINATION',
    group: 'webhooks',
    unit: 'deliveries',
    fallback: '16',
    sentence:
      'The maximum number of webhook deliveries in progress to one destination. A destination that answers slowly gets fewer.',
  }),
  webhookAttempts: integer(1, WEBHOOK_ATTEMPTS_LIMIT, {
    environment: 'BILLHOOK_WEBHOOK_ATTEMPTS',
    group: 'webhooks',
    unit: 'attempts',
    fallback: '1',
    sentence: 'The maximum number of attempts for each webhook; 1 means no retries.',
  }),
  unsigned: choice(['on', 'same-origin', 'off'], {
    environment: 'BILLHOOK_UNSIGNED',
    group: 'access',
    fallback: 'on',
    sentence:
      'Who may create and void invoices without a signature: on is every client, same-origin the pages of the public URL, off no one. Strict mode implies off.',
  }),
  strict: onOff({
    environment: 'BILLHOOK_STRICT',
    group: 'access',
    fallback: 'off',
    sentence:
      'Require a signature for key registration, lists, single invoices, webhook settings, deliveries and key revocation.',
  }),
  onboardingName: optional(
    textOfLength(1, ONBOARDING_NAME_LENGTH_LIMIT, {
      environment: 'BILLHOOK_ONBOARDING_NAME',
      group: 'access',
      fallbackText: 'none; in the sandbox that of the simulated ledger',
      expects: `1 to ${ONBOARDING_NAME_LENGTH_LIMIT} characters long`,
      sentence:
        'The onboarding stream name of the ledger. Strict mode and the ledger follower derive the id of an identity from its key and this name.',
    }),
  ),
  rateLimit: optional(
    integer(0, RATE_LIMIT_LIMIT, {
      environment: 'BILLHOOK_RATE_LIMIT',
      group: 'limits',
      unit: 'per minute',
      fallbackText:
        '600 if the service listens beyond loopback or has trusted proxies, except for clients on this machine; else no limit',
      sentence: 'The maximum rate of requests from one client address, to all paths together; 0 for no limit.',
    }),
  ),
  rateLimitClaims: integer(0, RATE_LIMIT_LIMIT, {
    environment: 'BILLHOOK_RATE_LIMIT_CLAIMS',
    group: 'limits',
    unit: 'per minute',
    fallback: '0',
    sentence: 'The maximum rate of wallet claims from one client address; 0 for no limit.',
  }),
  claimsPerAddress: optional(
    integer(0, CLAIMS_PER_ADDRESS_LIMIT, {
      environment: 'BILLHOOK_CLAIMS_PER_ADDRESS',
      group: 'limits',
      unit: 'wallets',
      fallbackText: '20; in the sandbox no limit',
      sentence:
        'The maximum number of wallets of one network that a client address may hold by claims; 0 for no limit. Clients on loopback have no limit.',
    }),
  ),
  trustedProxies: list(each(isCidr), {
    environment: 'BILLHOOK_TRUSTED_PROXIES',
    group: 'access',
    fallbackText: 'none',
    expects: 'a comma-separated list of networks such as 127.0.0.1/32 or fd00::/8',
    sentence: 'The proxies whose X-Forwarded-For header is trusted to name the client address.',
  }),
  walletLeaseSeconds: integer(1, LEASE_LIMIT_SECONDS, {
    environment: 'BILLHOOK_WALLET_LEASE_SECONDS',
    group: 'invoices',
    unit: 'seconds',
    fallback: '600',
    sentence: 'The time for which a claimed wallet is not handed out again.',
  }),
  keepDays: integer(KEEP_MINIMUM_DAYS, KEEP_LIMIT_DAYS, {
    environment: 'BILLHOOK_KEEP_DAYS',
    group: 'invoices',
    unit: 'days',
    fallback: '400',
    sentence:
      'The time for which event ids and settled webhook deliveries are kept. Invoices and deposits are kept forever.',
  }),
  sepTokenDecimals: integer(0, TOKEN_DECIMALS_LIMIT, {
    environment: 'BILLHOOK_SEP_TOKEN_DECIMALS',
    group: 'networks',
    unit: 'digits',
    fallback: '6',
    sentence: 'The number of decimals of the token on SEP.',
  }),
  trxNileTokenDecimals: integer(0, TOKEN_DECIMALS_LIMIT, {
    environment: 'BILLHOOK_TRX_NILE_TOKEN_DECIMALS',
    group: 'networks',
    unit: 'digits',
    fallback: '6',
    sentence: 'The number of decimals of the token on TRX-NILE.',
  }),
  ...networkSettings,
  ledgerUrls: list(each(isBaseUrl), {
    environment: 'BILLHOOK_LEDGER_URL',
    group: 'ledger',
    base: true,
    fallbackText: 'none',
    expects: 'a comma-separated list of absolute http or https URLs without query, fragment or credentials',
    sentence:
      'Base URLs of the read API of ledger nodes. It is queried for identities that are unknown here and for the transactions that are followed.',
  }),
  ledgerTimeoutMs: integer(1, LEDGER_TIMEOUT_LIMIT_MS, {
    environment: 'BILLHOOK_LEDGER_TIMEOUT_MS',
    group: 'ledger',
    unit: 'milliseconds',
    fallback: '5000',
    sentence: 'The timeout of one request to the ledger.',
  }),
  ledgerStoreUrls: list(each(isBaseUrl), {
    environment: 'BILLHOOK_LEDGER_STORE_URL',
    group: 'ledger',
    base: true,
    fallbackText: 'none: the ledger is not followed',
    expects: 'a comma-separated list of absolute http or https URLs without query, fragment or credentials',
    sentence:
      'Base URLs of the stores of ledger nodes, which are followed for onboardings and assignments. Give at least two: a single store can miss transactions.',
  }),
  ledgerFollow: list(each(isFollowedContract), {
    environment: 'BILLHOOK_LEDGER_FOLLOW',
    group: 'ledger',
    fallbackText: 'none',
    expects:
      'a comma-separated list such as onboard=shop/3f2a or assign=shop/9be1, each <role>=<namespace>/<contract id>',
    sentence: 'The contracts whose committed transactions are onboardings and assignments.',
  }),
  ledgerFollowFrom: integer(0, TIME_LIMIT_MS, {
    environment: 'BILLHOOK_LEDGER_FOLLOW_FROM',
    group: 'ledger',
    unit: 'milliseconds',
    fallback: '0',
    sentence: 'The Unix time from which the ledger is followed. Changing it starts the follower again from there.',
  }),
  ledgerOverlapSeconds: integer(0, LEDGER_OVERLAP_LIMIT_SECONDS, {
    environment: 'BILLHOOK_LEDGER_OVERLAP_SECONDS',
    group: 'ledger',
    unit: 'seconds',
    fallback: '600',
    sentence: 'How far back the ledger is read again, to find transactions that it listed late.',
  }),
  ledgerPollMs: integer(LEDGER_POLL_MINIMUM_MS, LEDGER_POLL_LIMIT_MS, {
    environment: 'BILLHOOK_LEDGER_POLL_MS',
    group: 'ledger',
    unit: 'milliseconds',
    fallback: '2000',
    sentence: 'The pause between two polls of the ledger when nothing new was found.',
  }),
}

/** Every setting with its name, in the order of `--help`. */
export const settingEntries: readonly (readonly [string, Setting<unknown>])[] = Object.entries(settingsSchema)
