import { parseInvoiceAmount } from '../domain/amount.js'
import { type Deposit, depositValue } from '../domain/deposit.js'
import { canonicalAddress, type Network } from '../domain/network.js'
import { depositColumns } from '../listing/deposits.js'
import type { Page } from '../store/reading.js'
import type { Store } from '../store/store.js'
import type { Visit } from './entrance.js'
import { links } from './links.js'
import type { ListView } from './list-page.js'
import { CONSOLE } from './paging.js'

export type DepositStore = Pick<Store, 'networks' | 'deposits' | 'overview' | 'wallets' | 'turns'>

const KINDS = ['pending', 'confirmed', 'dropped'] as const
/** Transfers of a transaction that are looked for, … */
const INDEXES_TRIED = 1000
/** … so many in one piece. */
const INDEXES_AT_ONCE = 100

/** The deposits of all networks or of one, newest first, those to an address or to an owner, or those of a transaction. */
export function depositsList<Shown>(store: DepositStore, { query }: Visit, show: ListView<Shown>): Promise<Shown> {
  const { ids, decimals } = store.networks
  return show(store.turns, query, {
    title: 'Deposits',
    section: 'deposits',
    what: 'deposit',
    hasCsv: true,
    filters: {
      network: { label: 'Network', choices: ids },
      transaction: { label: 'Transaction' },
      address: { label: 'Address' },
      owner: { label: 'Owner of the wallet' },
      amount: { label: 'Amount' },
      state: { label: 'State', choices: KINDS },
    },
    columns: depositColumns(decimals),
    links: {
      transaction: (one: Deposit) => links.transaction(one.network, one.txHash),
      address: ({ toAddress }: Deposit) => links.wallet(toAddress),
    },
    choose: async (asked) => {
      const { network, transaction } = asked
      return {
        caption:
          transaction === null ? 'Newest first, by when they were first seen' : 'The deposits of this transaction',
        from:
          transaction === null
            ? (page: Page) => store.overview.deposits(page)
            : await ofTransaction(store, network === null ? ids : [network], transaction),
        conditions: conditionsOf(store, asked),
        areIdsFull: transaction !== null,
      }
    },
  })
}

interface Wanted {
  readonly network: Network | null
  readonly state: (typeof KINDS)[number] | null
  readonly address: string | null
  /** Who has the wallet now. */
  readonly owner: string | null
  readonly amount: string | null
}

function conditionsOf({ wallets, networks }: DepositStore, { network, state, address, owner, amount }: Wanted) {
  const wanted = address === null ? null : canonicalAddress(address)
  const atoms = amount === null ? null : parseInvoiceAmount(amount)
  return [
    state === null ? null : (deposit: Deposit) => deposit.kind === state,
    network === null ? null : (deposit: Deposit) => deposit.network === network,
    wanted === null ? null : (deposit: Deposit) => canonicalAddress(deposit.toAddress) === wanted,
    // As payers know it: `25` finds 25000000 units of a token with six decimals.
    amount === null
      ? null
      : (deposit: Deposit) => atoms !== null && depositValue(deposit, networks.decimals)?.atoms === atoms,
    owner === null
      ? null
      : async (deposit: Deposit) => (await wallets.at(deposit.network, deposit.toAddress))?.owner === owner,
  ]
}

async function ofTransaction(
  { deposits, turns }: DepositStore,
  networks: readonly Network[],
  txHash: string,
): Promise<readonly Deposit[]> {
  const items: Deposit[] = []
  for (const one of networks) {
    for (let from = 0; from < INDEXES_TRIED; from += INDEXES_AT_ONCE) {
      const indexes = Array.from({ length: INDEXES_AT_ONCE }, (_, n) => from + n)
      const found = await turns.run(CONSOLE, async (slice) => {
        slice.touch(INDEXES_AT_ONCE)
        return await Promise.all(indexes.map((index) => deposits.find(one, txHash, index)))
      })
      items.push(...found.filter((deposit) => deposit !== undefined))
    }
  }
  return items
}
