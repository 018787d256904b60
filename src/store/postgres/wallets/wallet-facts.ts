import { canonicalAddress, type Network } from '../../../domain/network.js'
import type { FactWork } from '../../rules/ledger-facts.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { identityWorkOn } from '../identities.js'
import { earlierAnswers, rememberAnswers } from '../ledger/answered-events.js'
import { poolWorkOn } from './pool-work.js'
import { toWalletRow, WALLET_COLUMNS, type WalletColumns, type WalletRow } from './wallet-rows.js'

/** What a unit of work does for facts of the ledger. */
export function factWorkOn(work: Work): FactWork<WalletRow> {
  return {
    ...poolWorkOn(work),
    ...identityWorkOn(work),
    earlierAnswer: async (eventId) => (await earlierAnswers(work, [eventId])).get(eventId) ?? null,
    rememberAnswer: (eventId, outcome) => rememberAnswers(work, [{ eventId, outcome }]),
    async known({ id, network, address }) {
      if (network !== null) lockChain(work, network)
      const place =
        network === null || address === null
          ? undefined
          : work.row<{ wallet_id: string | null }>(sql`
              SELECT a.wallet_id FROM addresses AS a WHERE a.network = ${network} AND a.address = ${canonicalAddress(address)}
              FOR UPDATE`)
      const row = await work.row<WalletColumns & { readonly ledger_at: number | null }>(
        sql`SELECT ${WALLET_COLUMNS}, w.ledger_at FROM wallets AS w WHERE w.id = ${id} FOR UPDATE`,
      )
      const holder = (await place)?.wallet_id ?? null
      return { wallet: row === undefined ? null : toWalletRow(row), ledgerAt: row?.ledger_at ?? null, holder }
    },
    /** Where another unit has made the same wallet since, the database refuses this one, and the unit is tried again. */
    putWallet({ id, network, address, owner, assignedAt }, known, hasNewOwner) {
      const assignmentNo = hasNewOwner ? sql`nextval('assignments')` : sql`${known?.assignmentNo ?? null}::bigint`
      work.write(
        known === null
          ? sql`
            INSERT INTO wallets (id, network, address, owner, assigned_at, assignment_no, leased_until)
            VALUES (${id}, ${network}, ${address}, ${owner}, ${assignedAt}::bigint, ${assignmentNo}, 0)`
          : sql`
            UPDATE wallets SET network = ${network}, address = ${address}, owner = ${owner}, assigned_at = ${assignedAt}::bigint,
              assignment_no = ${assignmentNo} WHERE id = ${id}`,
      )
      if (network !== null && address !== null && known?.addressId == null) bindAddress(work, id, network, address)
    },
    keepDate(id, owner, ledgerMs) {
      work.write(sql`
        UPDATE wallets SET ledger_at = greatest(coalesce(ledger_at, 0), ${ledgerMs}::bigint) WHERE id = ${id} AND owner = ${owner}`)
    },
  }
}

/** The row of the network comes before those of addresses. */
function lockChain(work: Work, network: Network): void {
  work.write(sql`INSERT INTO chains (network, bound) VALUES (${network}, 0) ON CONFLICT DO NOTHING`)
  work.lock(sql`SELECT network FROM chains WHERE network = ${network} FOR UPDATE`)
}

/** Makes an address that of a wallet, which keeps it. The row of the network counts the wallets that have one. */
function bindAddress(work: Work, id: string, network: Network, address: string): void {
  const canonical = canonicalAddress(address)
  work.write(sql`
    INSERT INTO addresses (network, address, wallet_id) VALUES (${network}, ${canonical}, ${id})
    ON CONFLICT (network, address) DO UPDATE SET wallet_id = excluded.wallet_id`)
  work.write(sql`
    UPDATE chains SET bound = bound + 1, first_wallet_at = coalesce(first_wallet_at, ${work.nowMs}::bigint)
    WHERE network = ${network}`)
  work.write(sql`
    UPDATE wallets SET bound_no = (SELECT bound FROM chains WHERE network = ${network}),
      address_id = (SELECT id FROM addresses WHERE network = ${network} AND address = ${canonical})
    WHERE id = ${id}`)
  work.changed(id)
}
