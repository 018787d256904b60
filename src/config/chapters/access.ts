import { areOrigins, each, isCidr } from '../checks.js'
import { choice, list, onOff, optional, quantity } from '../setting.js'

const ONBOARDING_NAME_LENGTH_LIMIT = 256
/** A limit above a thousand requests a second from one address would protect nothing. */
const RATE_LIMIT_LIMIT = 60_000

/** Who may do what: signatures, browsers and proxies. */
export const access = {
  corsOrigins: list(areOrigins, {
    fallbackText: 'off',
    expects: '* or a comma-separated list of origins such as https://shop.example',
    sentence: 'The origins whose pages may call /api, and a sandbox, from a browser.',
  }),
  unsigned: choice(['on', 'same-origin', 'off'], {
    fallback: 'on',
    sentence:
      'Who may create and void invoices without a signature: on is every client, same-origin the pages of the public URL, off no one. Strict mode implies off.',
  }),
  app: onOff({
    fallback: 'on',
    sentence: 'Serve the web wallet at /app. With off, that path does not exist.',
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

/** How much one client address may do. */
export const limits = {
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
