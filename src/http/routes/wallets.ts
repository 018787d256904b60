import type { Network } from '../../domain/network.js'
import type { WalletPort } from '../../store/store.js'
import { handlers } from '../endpoints.js'
import type { ClaimLimit } from '../guards/claim-limit.js'
import { jsonAnswer, outcomeAnswer } from '../json.js'
import { listAnswer } from '../lists.js'
import type { Request } from '../server.js'

export interface WalletParts {
  readonly wallets: Pick<WalletPort, 'claim' | 'page'>
  /** How long a claimed wallet is not handed out again. */
  readonly leaseMs: number
  readonly claimLimit: Pick<ClaimLimit, 'claim'>
}

export function walletHandlers(parts: WalletParts) {
  return handlers({
    'GET /api/wallets/claim/niles/trx': (request) => claim(parts, 'TRX-NILE', request),
    'GET /api/wallets/claim/sep/eth': (request) => claim(parts, 'SEP', request),
    'GET /api/users/:id/wallets': (_request, { id }) =>
      listAnswer(async (page) => {
        const { items, next } = await parts.wallets.page(id, page)
        const shown = items.map(({ id, address, network, assignedAt }) => ({
          id,
          address,
          network,
          assigned_at: assignedAt,
        }))
        return { items: shown, next }
      }),
  })
}

/** HEAD must not use up a wallet: it is a safe method (RFC 9110, 9.2.1). */
async function claim({ wallets, leaseMs, claimLimit }: WalletParts, network: Network, request: Request) {
  if (request.method === 'HEAD') return jsonAnswer(200, {})
  return outcomeAnswer(200, await claimLimit.claim(request, network, () => wallets.claim(network, leaseMs)))
}
