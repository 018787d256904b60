import { failure } from '../../domain/failure.js'
import type { Network } from '../../domain/network.js'
import type { Wallet } from '../../domain/wallet.js'
import type { Store } from '../../store/store.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import { listAnswer } from '../json-list.js'
import type { Route } from '../router.js'
import type { Answer } from '../server.js'

/** `GET /api/wallets/claim/niles/trx`, `GET /api/wallets/claim/sep/eth`, `GET /api/users/:id/wallets`. */
export function walletRoutes(store: Store, leaseMs: number): readonly Route[] {
  return [
    {
      method: 'GET',
      pattern: '/api/wallets/claim/niles/trx',
      handle: (request) => claim(store, 'TRX-NILE', leaseMs, request.method),
    },
    {
      method: 'GET',
      pattern: '/api/wallets/claim/sep/eth',
      handle: (request) => claim(store, 'SEP', leaseMs, request.method),
    },
    {
      method: 'GET',
      pattern: '/api/users/:id/wallets',
      handle: (_request, params) =>
        listAnswer(async (page) => {
          const { items, next } = await store.wallets(params['id'] ?? '', page)
          return { items: items.map(shown), next }
        }),
    },
  ]
}

/** HEAD asks about the resource and must not use up a wallet (RFC 9110, 9.2.1: it is a safe method). */
async function claim(store: Store, network: Network, leaseMs: number, method: string): Promise<Answer> {
  if (method === 'HEAD') return jsonAnswer(200, {})
  const wallet = await store.claimWallet(network, leaseMs)
  return wallet === null ? failureAnswer(failure('no_wallet_available')) : jsonAnswer(200, wallet)
}

function shown(wallet: Wallet): unknown {
  return { id: wallet.id, address: wallet.address, network: wallet.network, assigned_at: wallet.assignedAt }
}
