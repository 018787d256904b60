import { failure, retryLater } from '../../domain/failure.js'
import type { Network } from '../../domain/network.js'
import type { ClaimedWallet, Wallet } from '../../domain/wallet.js'
import type { WalletPort } from '../../store/wallets.js'
import { handlers } from '../endpoints.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import type { ClaimLimit } from '../guards/claim-limit.js'
import { listAnswer } from '../lists.js'
import type { Request } from '../server.js'

export interface WalletParts {
  readonly wallets: Pick<WalletPort, 'claim' | 'page'>
  /** How long a claimed wallet is not handed out again. */
  readonly leaseMs: number
  readonly claimLimit: Pick<ClaimLimit, 'request'>
}

export function walletHandlers(parts: WalletParts) {
  return handlers({
    'GET /api/wallets/claim/niles/trx': (request) => claim(parts, 'TRX-NILE', request),
    'GET /api/wallets/claim/sep/eth': (request) => claim(parts, 'SEP', request),
    'GET /api/users/:id/wallets': (_request, { id }) =>
      listAnswer(async (page) => {
        const { items, next } = await parts.wallets.page(id, page)
        return { items: items.map(shown), next }
      }),
  })
}

/** HEAD must not use up a wallet: it is a safe method (RFC 9110, 9.2.1). */
async function claim({ wallets, leaseMs, claimLimit }: WalletParts, network: Network, request: Request) {
  if (request.method === 'HEAD') return jsonAnswer(200, {})
  const permit = await claimLimit.request(request, network)
  if (!permit.granted) return failureAnswer(retryLater('too_many_claims', permit.waitSeconds))
  let wallet: ClaimedWallet | null = null
  try {
    wallet = await wallets.claim(network, leaseMs)
  } finally {
    permit.settle(wallet?.id ?? null)
  }
  return wallet === null ? failureAnswer(failure('no_wallet_available')) : jsonAnswer(200, wallet)
}

function shown(wallet: Wallet): unknown {
  return { id: wallet.id, address: wallet.address, network: wallet.network, assigned_at: wallet.assignedAt }
}
