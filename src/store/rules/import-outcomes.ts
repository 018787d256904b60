import type { Invoice } from '../../domain/invoice.js'
import type { Settled } from '../commands.js'
import type { ImportOutcome, ImportTerms } from '../store.js'

/** What becomes of imported records. */

/** Without terms, an import takes what the API would. */
export const NO_IMPORT_TERMS: ImportTerms = { ofFormerOwners: false }

export const ADDED: ImportOutcome = { status: 'added' }
export const KNOWN: ImportOutcome = { status: 'known' }

export function refused(error: string): ImportOutcome {
  return { status: 'refused', error }
}

/** A record is refused. It is thrown, so that whatever was written of the record is undone. */
class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** The outcome of a record that stays as it is; throws for one that is refused. */
export function keptWhole(outcome: ImportOutcome): ImportOutcome {
  if (outcome.status === 'refused') throw new Refusal(outcome.error)
  return outcome
}

/** The fate of a record whose outcome went through `keptWhole`. */
export function withRefusal(fate: Settled<ImportOutcome>): Settled<ImportOutcome> {
  if (fate.status === 'fulfilled' || !(fate.reason instanceof Refusal)) return fate
  return { status: 'fulfilled', value: { status: 'refused', error: fate.reason.message } }
}

/** A wallet of an imported invoice. */
interface NamedWallet {
  readonly owner: string | null
  readonly hasAddress: boolean
}

/** Why an invoice cannot be on a wallet, as text; null if it can. The API lets nobody invoice on the wallet of another. */
export function flawOfWallet(
  walletId: string,
  wallet: NamedWallet | undefined,
  { owner }: Pick<Invoice, 'owner'>,
  { ofFormerOwners }: ImportTerms,
): string | null {
  if (wallet === undefined || !wallet.hasAddress) {
    return `the wallet ${walletId} is not known, or has no address: import wallets first`
  }
  if (wallet.owner === owner) return null
  if (wallet.owner === null) return `the wallet ${walletId} belongs to nobody: import it with its owner first`
  return ofFormerOwners ? null : `the wallet ${walletId} belongs to another identity (--former-owners)`
}

/** Whether two records of an invoice say the same. */
export function isSameInvoice(known: Invoice, imported: Invoice): boolean {
  return JSON.stringify(Object.entries(known).sort()) === JSON.stringify(Object.entries(imported).sort())
}
