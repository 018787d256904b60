import type { MovedKind } from '../../moving/records.js'
import { blocksAside, depositsAside } from './aside-kinds.js'
import { deliveries, events, removals, webhooks } from './delivery-kinds.js'
import { blocks, chains, deposits, networks, watches } from './deposit-kinds.js'
import { idempotencyKeys, invoices, signedCreations } from './invoice-kinds.js'
import { answers, audit, identityKeys, ledger, ledgerSetAside, ledgerTaken, logged } from './ledger-kinds.js'
import type { PostgresMovedKind } from './moved-kind.js'
import { notes } from './note-kinds.js'
import { orders } from './order-kinds.js'
import { rates } from './rate-kinds.js'
import { addresses, identities, keys, wallets } from './wallet-kinds.js'

export const POSTGRES_KINDS: { readonly [K in MovedKind]: PostgresMovedKind<K> } = {
  networks,
  identities,
  addresses,
  wallets,
  keys,
  invoices,
  orders,
  deposits,
  chains,
  watches,
  blocks,
  blocksAside,
  depositsAside,
  answers,
  ledger,
  ledgerTaken,
  ledgerSetAside,
  identityKeys,
  webhooks,
  deliveries,
  removals,
  events,
  idempotencyKeys,
  signedCreations,
  notes,
  rates,
  audit,
  logged,
}
