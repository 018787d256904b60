import type { Network } from '../domain/network.js'
import { UNASSIGNED_WALLETS } from './simulated-networks.js'

/**
 * The lines that `serve --sandbox` prints before its ready line: that nothing is real, and commands to paste into a shell.
 * `url` is the service's base address, without a slash at the end;
 * `hasApp`: whether it serves the web wallet.
 */
export function sandboxBanner(url: string, networks: readonly Network[], hasApp: boolean): string[] {
  return [
    `Sandbox: a simulated ledger and simulated networks (${networks.join(', ')}), ${UNASSIGNED_WALLETS} unassigned wallets on each. Nothing here is real money.`,
    '',
    ...(hasApp ? [`A shop in the browser: ${url}/app`, ''] : []),
    'From a fresh identity to a paid order of 25.00 EUR and its two signed webhooks, in another terminal:',
    '',
    `  BASE_URL=${url} bash examples/quickstart.sh`,
    '',
    'Or look around: where the ledger is, a wallet, a deposit to it:',
    '',
    `  curl -s ${url}/sandbox; echo`,
    `  ADDRESS=$(curl -s ${url}/api/wallets/claim/niles/trx | sed 's/.*"address":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s ${url}/sandbox/deposits -d '{"address":"'$ADDRESS'","amount":"1.5","currency":"USDT"}'; echo`,
    '',
  ]
}
