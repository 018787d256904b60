import { failure } from '../../domain/failure.js'
import type { Network } from '../../domain/network.js'
import type { ClaimedWallet, Wallet } from '../../domain/wallet.js'
import type { WalletPort } from '../../store/wallets.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import type { ClaimLimit } from '../guards/claim-limit.js'
import { listAnswer } from '../json-list.js'
import type { Route } from '../router.js'
import type { Request } from '../server.js'

export interface WalletRoutesParts {
  readonly wallets: Pick<WalletPort, 'claim' | 'page'>
  /** How long a claimed wallet is not handed out again. */
  readonly leaseMs: number
  readonly claimLimit: Pick<ClaimLimit, 'request'>
}

/**
 * `GET /api/wallets/claim/niles/trx`, `GET /api/wallets/claim/sep/eth`, `GET /api/users/:id/wallets`. A claim takes something,
 * though it is a GET: pages of other origins must not make one.
 */
export function walletRoutes(parts: WalletRoutesParts): readonly Route[] {
  const { wallets } = parts
  return [
    {
      method: 'GET',
      pattern: '/api/wallets/claim/niles/trx',
      pages: 'own',
      handle: (request) => claim(parts, 'TRX-NILE', request),
    },
    {
      method: 'GET',
      pattern: '/api/wallets/claim/sep/eth',
      pages: 'own',
      handle: (request) => claim(parts, 'SEP', request),
    },
    {
      method: 'GET',
      pattern: '/api/users/:id/wallets',
      handle: (_request, params) =>
        listAnswer(async (page) => {
          const { items, next } = await wallets.page(params['id'] ?? '', page)
          return { items: items.map(shown), next }
        }),
    },
  ]
}

/** HEAD asks about the resource and must not use up a wallet (RFC 9110, 9.2.1: it is a safe method). */
async function claim({ wallets, leaseMs, claimLimit }: WalletRoutesParts, network: Network, request: Request) {
  if (request.method === 'HEAD') return jsonAnswer(200, {})
  const permit = await claimLimit.request(request, network)
  if (!permit.granted) return failureAnswer(failure('too_many_claims'), { 'Retry-After': String(permit.waitSeconds) })
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
