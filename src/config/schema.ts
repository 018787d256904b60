import { areOrigins, each, isBaseUrl, isCidr, isHost, isPath } from './checks.js'
import { choice, integer, list, onOff, optional, quantity, type Setting, text } from './setting.js'
import { ledger, networks } from './source-settings.js'

const SECRET_LENGTH_MINIMUM_CHARACTERS = 16
const ONBOARDING_NAME_LENGTH_LIMIT = 256
const VERIFY_THREADS_LIMIT = 256
const PORT_LIMIT = 65_535
/** A limit above a thousand requests a second from one address would protect nothing. */
const RATE_LIMIT_LIMIT = 60_000
/** As in a request (decisions 4). */
const INVOICE_EXPIRY_MINIMUM_SECONDS = 60
const INVOICE_EXPIRY_LIMIT_SECONDS = 31_536_000
const WEBHOOK_CONCURRENCY_LIMIT = 4096

const essentials = {
  host: text(isHost, {
    flag: '--host',
    fallback: '127.0.0.1',
    expects: 'an IP address (IPv6 without brackets) or a host name',
    sentence: 'The address to listen on.',
  }),
  port: integer(0, PORT_LIMIT, {
    flag: '--port',
    fallback: '8080',
    sentence: 'The port to listen on; 0 picks a free one, which the ready line names.',
  }),
  dataDirectory: text(isPath, {
    variable: 'BILLHOOK_DATA',
    flag: '--data',
    fallback: './data',
    expects: 'a path',
    sentence:
      'The directory that holds all state. It is created if missing, and only one process can use it at a time.',
  }),
  sandbox: onOff({
    flag: '--sandbox',
    switch: true,
    fallback: 'off',
    sentence:
      'Run with a simulated ledger and simulated networks inside the process. Cannot be combined with a real ledger or real networks.',
  }),
  publicUrl: optional.text(isBaseUrl, {
    base: true,
    fallbackText: 'derived from the listen address',
    expects: 'an absolute http or https URL without query, fragment or credentials',
    sentence: 'The URL under which clients reach the service.',
  }),
  gatewaySecret: optional.textOfLength(SECRET_LENGTH_MINIMUM_CHARACTERS, Number.POSITIVE_INFINITY, {
    fallbackText: 'none: POST /internal/events is 404',
    expects: `at least ${SECRET_LENGTH_MINIMUM_CHARACTERS} characters long`,
    sentence: 'The secret with which the ledger gateway signs the events that it pushes.',
    secret: true,
  }),
}

const access = {
  corsOrigins: list(areOrigins, {
    fallbackText: 'off',
    expects: '* or a comma-separated list of origins such as https://shop.example',
    sentence: 'The origins whose pages may call /api from a browser.',
  }),
  unsigned: choice(['on', 'same-origin', 'off'], {
    fallback: 'on',
    sentence:
      'Who may create and void invoices without a signature: on is every client, same-origin the pages of the public URL, off no one. Strict mode implies off.',
  }),
  strict: onOff({
    fallback: 'off',
    sentence:
      'Require a signature for key registration, lists, single invoices, webhook settings, deliveries and key revocation.',
  }),
  onboardingName: optional.textOfLength(1, ONBOARDING_NAME_LENGTH_LIMIT, {
    fallbackText: 'none; in the sandbox that of the simulated ledger',
    expects: `1 to ${ONBOARDING_NAME_LENGTH_LIMIT} characters long`,
    sentence:
      'The onboarding stream name of the ledger. Strict mode and the ledger follower derive the id of an identity from its key and this name.',
  }),
  trustedProxies: list(each(isCidr), {
    fallbackText: 'none',
    expects: 'a comma-separated list of networks such as 127.0.0.1/32 or fd00::/8',
    sentence: 'The proxies whose X-Forwarded-For header is trusted to name the client address.',
  }),
}

const limits = {
  rateLimit: optional.quantity(0, RATE_LIMIT_LIMIT, 'per minute', {
    fallbackText:
      '600 if the service listens beyond loopback or has trusted proxies, except for clients on this machine; else no limit',
    sentence: 'The maximum rate of requests from one client address, to all paths together; 0 for no limit.',
  }),
  rateLimitClaims: quantity(0, RATE_LIMIT_LIMIT, 'per minute', {
    fallback: '0',
    sentence: 'The maximum rate of wallet claims from one client address; 0 for no limit.',
  }),
  claimsPerAddress: optional.quantity(0, 10_000, 'wallets', {
    fallbackText: '20; in the sandbox no limit',
    sentence:
      'The maximum number of wallets of one network that a client address may hold by claims; 0 for no limit. Clients on loopback have no limit.',
  }),
}

const invoices = {
  sharedWallets: onOff({
    fallback: 'on',
    sentence:
      'Let several unpaid invoices in one currency share a wallet. With off, the second one is rejected, so that each payment belongs to one invoice.',
  }),
  invoiceExpirySeconds: optional.quantity(INVOICE_EXPIRY_MINIMUM_SECONDS, INVOICE_EXPIRY_LIMIT_SECONDS, 'seconds', {
    fallbackText: 'none: they never expire',
    sentence: 'The time after which an invoice expires that was created without expiresInSeconds.',
  }),
  walletLeaseSeconds: quantity(1, 7 * 24 * 60 * 60, 'seconds', {
    fallback: '600',
    sentence: 'The time for which a claimed wallet is not handed out again.',
  }),
  keepDays: quantity(30, 36_500, 'days', {
    fallback: '400',
    sentence:
      'The time for which event ids and settled webhook deliveries are kept. Invoices and deposits are kept forever.',
  }),
}

const webhooks = {
  callbackAllow: list(each(isCidr), {
    fallbackText: 'none',
    expects: 'a comma-separated list of networks such as 10.1.0.0/16 or fd00::/8',
    sentence:
      'Non-public networks to which webhooks may be sent. By default there are none, unless the service is private to its machine: it listens on loopback, has no public URL beyond loopback and no trusted proxies, and is not in strict mode.',
  }),
  webhookConcurrency: quantity(1, WEBHOOK_CONCURRENCY_LIMIT, 'deliveries', {
    fallback: '256',
    sentence:
      'The maximum number of webhook deliveries in progress, to all destinations together. Deliveries that have waited for an answer for more than a second do not count; up to as many again may be in progress.',
  }),
  webhookConcurrencyPerDestination: quantity(1, WEBHOOK_CONCURRENCY_LIMIT, 'deliveries', {
    fallback: '16',
    sentence:
      'The maximum number of webhook deliveries in progress to one destination. A destination that answers slowly gets fewer.',
  }),
  webhookAttempts: quantity(1, 20, 'attempts', {
    fallback: '1',
    sentence: 'The maximum number of attempts for each webhook; 1 means no retries.',
  }),
}

const observation = {
  metricsPort: optional.integer(0, PORT_LIMIT, {
    fallbackText: 'none: metrics are off',
    sentence: 'The port that serves GET /metrics for Prometheus; 0 picks a free one, which is printed at start.',
  }),
  metricsHost: text(isHost, {
    fallback: '127.0.0.1',
    expects: 'an IP address (IPv6 without brackets) or a host name',
    sentence: 'The address on which the metrics port listens. Anyone who can reach it can read the metrics.',
  }),
  logLevel: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    variable: 'BILLHOOK_LOG',
    fallback: 'info',
    sentence: 'The lowest level to log; debug adds one line for each request.',
  }),
  watchLagSeconds: quantity(1, 7 * 24 * 60 * 60, 'seconds', {
    fallback: '300',
    sentence:
      'The lag of a watched network or of the ledger follower from which /readyz reports the service as degraded.',
  }),
}

const tuning = {
  verifyThreads: quantity(1, VERIFY_THREADS_LIMIT, 'threads', {
    fallback: ({ cores }) => String(Math.min(Math.max(cores - 1, 1), VERIFY_THREADS_LIMIT)),
    fallbackText: 'cores - 1, at least 1',
    sentence: 'The number of threads that verify request signatures.',
  }),
  verifyEngine: choice(['auto', 'libsecp256k1', 'noble'], {
    fallback: 'auto',
    sentence: 'The secp256k1 implementation; auto uses libsecp256k1 if its binary loads, else noble.',
  }),
  keyTables: quantity(0, 8192, 'keys', {
    fallback: '256',
    sentence:
      'The number of frequently used keys for which each verification thread keeps a table of 148 KiB; 0 for none.',
  }),
  httpServer: choice(['auto', 'uws', 'node'], {
    variable: 'BILLHOOK_HTTP',
    fallback: 'auto',
    sentence: 'The HTTP server; auto uses uWebSockets.js if it has a binary for this version of Node, else node:http.',
  }),
}

/** The chapters of `--help` and docs/settings.md with their settings, in order. */
export const settingChapters = {
  'Essentials: where the service listens and keeps its data, and what every deployment sets': essentials,
  'Access: signatures, browsers and proxies': access,
  'Limits for client addresses': limits,
  'Invoices, wallets and retention': invoices,
  Webhooks: webhooks,
  'Watched networks': networks,
  Ledger: ledger,
  'Logs, metrics and health': observation,
  'Tuning: the defaults fit most machines': tuning,
} satisfies Readonly<Record<string, Readonly<Record<string, Setting<unknown>>>>>

/** Every setting. The type `Settings`, the checks, `--help` and docs/settings.md are derived from this schema. */
export const settingsSchema = {
  ...essentials,
  ...access,
  ...limits,
  ...invoices,
  ...webhooks,
  ...networks,
  ...ledger,
  ...observation,
  ...tuning,
}

/** Every setting with its name, in the order of `--help`. */
export const settingEntries: readonly (readonly [string, Setting<unknown>])[] = Object.entries(settingsSchema)
