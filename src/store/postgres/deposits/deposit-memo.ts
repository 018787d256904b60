import type { Sighting } from '../../../domain/deposit.js'
import { unconfigured, type WebhookConfiguration } from '../../../domain/webhook.js'
import type { Work } from '../connection/work.js'
import type { InvoiceRow } from '../invoices/invoice-rows.js'
import { lockInvoice, lockInvoices } from '../invoices/settle.js'
import { type AddressRow, lockAddress, type Place, placeNameOf, readAddresses } from '../wallets/wallet-rows.js'
import { configurationOf, configurationsAt } from '../webhooks.js'
import type { Candidates } from './candidates.js'
import {
  addDeposit,
  changeDeposit,
  type DepositId,
  type DepositRow,
  findDeposit,
  findDeposits,
  nameOf,
} from './deposit-rows.js'

/**
 * What a unit of work knows of the deposits that it is about: their rows, their addresses with the wallets, and the callbacks of
 * their owners. It is read for all of them at once behind the locks, so it stays true until the commit, but for what the unit
 * itself changes. What was not read before is read when it is asked for.
 */
export class DepositMemo {
  private readonly deposits = new Map<string, DepositRow | undefined>()
  private readonly addresses = new Map<string, AddressRow>()
  private readonly configurations = new Map<string, WebhookConfiguration>()
  private readonly invoices = new Map<string, InvoiceRow>()
  /** Searches for the invoices of deposits that have not been recorded, by all that decides them. */
  readonly searches = new Map<string, Candidates>()

  constructor(private readonly work: Work) {}

  /** Reads what is about these sightings, whose addresses the unit has locked, in one round trip. */
  async prepare(sightings: readonly Sighting[]): Promise<void> {
    const { work } = this
    const [deposits, addresses, configurations] = await Promise.all([
      findDeposits(work, sightings),
      readAddresses(work, sightings),
      configurationsAt(work, sightings),
    ])
    for (const sighting of sightings) this.deposits.set(nameOf(sighting), deposits.get(nameOf(sighting)))
    for (const [place, row] of addresses) this.addresses.set(place, row)
    for (const { wallet } of addresses.values()) {
      const owner = wallet?.owner ?? null
      if (owner !== null) this.configurations.set(owner, configurations.get(owner) ?? unconfigured(owner))
    }
  }

  async deposit(id: DepositId): Promise<DepositRow | undefined> {
    const name = nameOf(id)
    if (!this.deposits.has(name)) this.deposits.set(name, await findDeposit(this.work, id))
    return this.deposits.get(name)
  }

  /** Writes a deposit that the unit has asked for. */
  putDeposit(row: DepositRow): void {
    const name = nameOf(row.deposit)
    if (this.deposits.get(name) === undefined) addDeposit(this.work, row)
    else changeDeposit(this.work, row)
    this.deposits.set(name, row)
  }

  /** The address with its wallet, locked. */
  async address(place: Place): Promise<AddressRow> {
    const name = placeNameOf(place)
    const row = this.addresses.get(name) ?? (await lockAddress(this.work, place))
    this.addresses.set(name, row)
    return row
  }

  /** Locks and reads invoices that deposits notify already, all at once. */
  async prepareInvoices(ids: readonly string[]): Promise<void> {
    for (const row of await lockInvoices(this.work, [...new Set(ids)])) this.invoices.set(row.id, row)
  }

  /** An invoice that a deposit notifies already, locked. */
  async invoice(id: string): Promise<InvoiceRow> {
    const known = this.work.hasTouched(id) ? undefined : this.invoices.get(id)
    const row = known ?? (await lockInvoice(this.work, id))
    this.invoices.set(id, row)
    return row
  }

  async configuration(owner: string): Promise<WebhookConfiguration> {
    const known = this.configurations.get(owner) ?? (await configurationOf(this.work, owner))
    this.configurations.set(owner, known)
    return known
  }
}
