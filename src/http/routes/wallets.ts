import { failure } from '../../domain/failure.js'
import type { Network } from '../../domain/network.js'
import type { Wallet } from '../../domain/wallet.js'
import type { WalletPort } from '../../store/wallets.js'
import { handlers } from '../endpoints.js'
import type { ClaimLimit } from '../guards/claim-limit.js'
import { failureAnswer, jsonAnswer, outcomeAnswer } from '../json.js'
import type { Lists } from '../lists.js'
import type { Request } from '../server.js'

export interface WalletParts {
  readonly wallets: Pick<WalletPort, 'claim' | 'page'>
  readonly lists: Lists
  /** The network of each path at which wallets are claimed, by its two segments: `sep/eth`. */
  readonly claims: ReadonlyMap<string, Network>
  /** How long a claimed wallet is not handed out again. */
  readonly leaseMs: number
  readonly claimLimit: Pick<ClaimLimit, 'claim'>
}

export function walletHandlers(parts: WalletParts) {
  return handlers({
    'GET /api/wallets/claim/niles/trx': (request) => claim(parts, 'niles/trx', request),
    'GET /api/wallets/claim/sep/eth': (request) => claim(parts, 'sep/eth', request),
    'GET /api/wallets/claim/:chain/:coin': (request, { chain, coin }) => claim(parts, `${chain}/${coin}`, request),
    'GET /api/users/:id/wallets': (request, { id }) =>
      parts.lists.answer(request, { owner: id, read: (page) => parts.wallets.page(id, page), show }),
  })
}

function show({ id, address, network, assignedAt }: Wallet) {
  return { id, address, network, assigned_at: assignedAt }
}

/** HEAD must not use up a wallet: it is a safe method (RFC 9110, 9.2.1). */
async function claim({ wallets, claims, leaseMs, claimLimit }: WalletParts, path: string, request: Request) {
  const network = claims.get(path)
  if (network === undefined) return failureAnswer(failure('not_found'))
  if (request.method === 'HEAD') return jsonAnswer(200, {})
  return outcomeAnswer(200, await claimLimit.claim(request, network, () => wallets.claim(network, leaseMs)))
}
