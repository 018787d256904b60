import type { Deposit, Sighting } from '../../../domain/deposit.js'
import { unconfigured, type WebhookConfiguration } from '../../../domain/webhook.js'
import type { Awaitable } from '../../reading.js'
import type { Seeking } from '../../rules/deposit-work.js'
import { Questions } from '../connection/questions.js'
import type { Work } from '../connection/work.js'
import type { InvoiceRow } from '../invoices/invoice-rows.js'
import { LockedInvoices } from '../invoices/locked-invoices.js'
import { othersPaid, type Payment } from '../invoices/unsettled-wallets.js'
import {
  type AddressRow,
  lockAddresses,
  type Place,
  placeNameOf,
  readAddresses,
  type WalletRow,
} from '../wallets/wallet-rows.js'
import { configurationOf, configurationsAt, heldConfigurations } from '../webhooks.js'
import { CandidateQuestions } from './candidate-questions.js'
import { type MatchingTime, Searches } from './candidates.js'
import {
  type DepositId,
  type DepositRow,
  findDeposit,
  findDeposits,
  KNOWN_DEPOSITS,
  NEW_DEPOSITS,
  nameOf,
} from './deposit-rows.js'

/** A deposit that is known. */
export type KnownDeposit = Pick<DepositRow, 'deposit'>

/**
 * What a unit of work knows of the deposits that it is about: their rows, their addresses with the wallets, the callbacks of their
 * owners and the invoices that they notify. It is read for all of them at once behind the locks, so it stays true until the commit,
 * but for what the unit itself changes. What was not read before is read when it is asked for, for all that ask at the same time.
 */
export class DepositMemo {
  private readonly rows = new Map<string, DepositRow | undefined>()
  /** Deposits as they will be when what was judged of them is recorded. */
  private readonly judged = new Map<string, KnownDeposit>()
  private readonly addresses = new Map<string, AddressRow>()
  private readonly configurations = new Map<string, WebhookConfiguration>()
  /** Owners whose choice of events stays until the commit. */
  private readonly held = new Set<string>()
  private readonly searches = new Map<string, Searches>()
  readonly invoices: LockedInvoices
  private readonly candidateQuestions: CandidateQuestions
  private readonly places = new Questions((places: readonly Place[]) => this.lockPlaces(places))
  private readonly paid = new Questions((payments: readonly (Payment & { readonly matched: string | null })[]) =>
    this.lockOthersPaid(payments),
  )

  constructor(
    private readonly work: Work,
    private readonly time: MatchingTime = 'present',
  ) {
    this.invoices = new LockedInvoices(work)
    this.candidateQuestions = new CandidateQuestions(work, this.invoices)
  }

  /** Reads what is about these sightings, whose addresses the unit has locked, in one round trip. */
  async prepare(sightings: readonly Sighting[]): Promise<void> {
    const { work } = this
    const [deposits, addresses, configurations] = await Promise.all([
      findDeposits(work, sightings),
      readAddresses(work, sightings),
      configurationsAt(work, sightings),
    ])
    for (const sighting of sightings) this.rows.set(nameOf(sighting), deposits.get(nameOf(sighting)))
    for (const [place, row] of addresses) this.addresses.set(place, row)
    for (const { wallet } of addresses.values()) {
      const owner = wallet?.owner ?? null
      if (owner !== null) this.configurations.set(owner, configurations.get(owner) ?? unconfigured(owner))
    }
    await this.holdEvents()
  }

  /** Sends what was asked and needs the database. */
  send(): void {
    // In the order of the locks.
    this.places.send()
    this.candidateQuestions.send()
    this.invoices.send()
    this.paid.send()
  }

  /** A deposit, with what was judged of it. */
  async deposit(id: DepositId): Promise<KnownDeposit | undefined> {
    return this.judged.get(nameOf(id)) ?? this.row(id)
  }

  /** Notes what a deposit will be. */
  judge(deposit: Deposit): void {
    this.judged.set(nameOf(deposit), { deposit })
  }

  /** The row of a deposit, as it was recorded last. */
  async row(id: DepositId): Promise<DepositRow | undefined> {
    const name = nameOf(id)
    if (!this.rows.has(name)) this.rows.set(name, await findDeposit(this.work, id))
    return this.rows.get(name)
  }

  /** The row of a deposit that was asked for before. */
  knownRow(id: DepositId): DepositRow | undefined {
    return this.rows.get(nameOf(id))
  }

  /** Writes a deposit that the unit has asked for. */
  putDeposit(row: DepositRow): void {
    const name = nameOf(row.deposit)
    this.work.effect(this.rows.get(name) === undefined ? NEW_DEPOSITS : KNOWN_DEPOSITS, row)
    this.rows.set(name, row)
  }

  /** The address with its wallet, locked. */
  address(place: Place): Awaitable<AddressRow> {
    return this.addresses.get(placeNameOf(place)) ?? this.places.ask(place)
  }

  configuration(owner: string): Awaitable<WebhookConfiguration> {
    return this.configurations.get(owner) ?? this.readConfiguration(owner)
  }

  /** The searches for the invoice of a deposit. */
  candidates(seeking: Seeking<WalletRow>): Awaitable<Searches> {
    const name = searchNameOf(seeking)
    const known = this.searches.get(name)
    if (known !== undefined) return known
    const { wallet, owner, seen, currency, atoms, unit } = seeking
    const { id: walletId } = wallet
    const { receivedAt } = seen
    const search = ({ callback_url }: WebhookConfiguration) => {
      const seeker = { walletId, owner, currency, atoms, unit, receivedAt, hasDefaultCallback: callback_url !== null }
      const made = new Searches(this.work, this.candidateQuestions, this.invoices, seeker, this.time)
      this.searches.set(name, made)
      return made
    }
    const configuration = this.configuration(owner)
    return configuration instanceof Promise ? configuration.then(search) : search(configuration)
  }

  /** An invoice may be matched again: what was found before may have missed it. */
  forgetSearches(): void {
    this.searches.clear()
  }

  /** Other open invoices than the matched one that a confirmed deposit may have paid, oldest first. They are locked. */
  othersPaid(payment: Payment, matched: string | null): Promise<readonly InvoiceRow[]> {
    return this.paid.ask({ ...payment, matched })
  }

  private async lockOthersPaid(
    payments: readonly (Payment & { readonly matched: string | null })[],
  ): Promise<readonly (readonly InvoiceRow[])[]> {
    const ids = await othersPaid(this.work, payments)
    const others = ids.map((all, i) => all.filter((id) => id !== payments[i]?.matched).sort())
    const rows = await this.invoices.lock(others.flat())
    return others.map((all) => all.flatMap((id) => rows.get(id) ?? []))
  }

  private async lockPlaces(places: readonly Place[]): Promise<readonly AddressRow[]> {
    lockAddresses(this.work, places)
    const found = await readAddresses(this.work, places)
    return places.map((place) => {
      const row = found.get(placeNameOf(place))
      if (row === undefined) throw new Error('an address that was entered is not there')
      this.addresses.set(placeNameOf(place), row)
      return row
    })
  }

  private async readConfiguration(owner: string): Promise<WebhookConfiguration> {
    this.configurations.set(owner, await configurationOf(this.work, owner))
    await this.holdEvents()
    return this.configurations.get(owner) ?? unconfigured(owner)
  }

  /** Nobody else's configuration is asked for again. */
  private async holdEvents(): Promise<void> {
    const owners = [...this.configurations.values()]
      .filter(({ payload }) => payload === 'events')
      .map(({ owner }) => owner)
    const free = owners.filter((owner) => !this.held.has(owner))
    if (free.length === 0) return
    const held = await heldConfigurations(this.work, free)
    for (const owner of free) {
      this.held.add(owner)
      this.configurations.set(owner, held.get(owner) ?? unconfigured(owner))
    }
  }
}

/** Names a search by all that decides it: two reports of a deposit may tell different times and amounts. */
function searchNameOf({ seen, currency, atoms }: Seeking<WalletRow>): string {
  return [nameOf(seen), placeNameOf(seen), seen.receivedAt, currency, atoms].join(' ')
}
