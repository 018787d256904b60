import { randomInt } from 'node:crypto'
import { formatAmount } from '../src/domain/amount.js'
import { NO_ORDER_FIELDS } from '../src/domain/order-fields.js'
import type { WalletCommand } from '../src/store/commands.js'
import type { LmdbStore } from '../src/store/lmdb/lmdb-store.js'
import type { InvoiceWithPayment } from '../src/store/reading.js'
import { openBenchStore, SteppingClock } from './bench-store.js'
import { wallet } from './merchants.js'

/** Commands passed to the store at once: as many as share a commit. */
export const COMMANDS_AT_ONCE = 256
/** Invoices of a wallet whose ids are kept, evenly over its history. */
const KEPT_IDS = 1000
const ATOMS = 10n ** 18n
/** Distance between the amounts of two invoices of a history, in units of 10⁻¹⁸. */
const AMOUNT_STEP = 10n ** 12n

/** Wallets with long histories in a store of their own. */
export class Histories {
  private made = 0
  /** Begins its references, so that those of another run on the same store come after them. */
  private readonly series = Date.now().toString(36)
  private readonly clock: SteppingClock
  private opened: LmdbStore | undefined

  private constructor(
    private readonly directory: string,
    commands: number,
  ) {
    this.clock = new SteppingClock(commands)
  }

  /**
   * `commands` is about how many commands will run. The clock takes a millisecond for each, and must not pass the
   * present.
   */
  static async open(directory: string, commands: number): Promise<Histories> {
    const histories = new Histories(directory, commands)
    await histories.reopen()
    return histories
  }

  get store(): LmdbStore {
    if (this.opened === undefined) throw new Error('the store is not open')
    return this.opened
  }

  async reopen(): Promise<void> {
    this.opened = await openBenchStore(this.directory, this.clock)
  }

  /** Closes the store so that a service can open it; it can be reopened. */
  async close(): Promise<void> {
    await this.store.close()
    this.opened = undefined
  }

  /** Makes a wallet whose owner has the same name. */
  async addWallet(name: string): Promise<void> {
    const { id, address, network, owner } = wallet(name, name)
    await this.store.ledger.applyFacts([
      { eventId: null, fact: { type: 'wallet.assigned', id, address, network, owner } },
    ])
  }

  /**
   * Gives a wallet so many invoices, over 1000.000001, 1000.000002, …, and as many deposits of 0.000001, in turn, so
   * that hardly any gets paid. Answers the ids of some invoices, evenly over the history.
   */
  async fill(name: string, count: number): Promise<readonly string[]> {
    const ids: string[] = []
    const every = Math.ceil(count / KEPT_IDS)
    for (let from = 0; from < count; from += COMMANDS_AT_ONCE / 2) {
      const batch: WalletCommand[] = []
      for (let n = from; n < Math.min(from + COMMANDS_AT_ONCE / 2, count); n += 1) {
        batch.push(this.invoice(name, BigInt(n + 1) * AMOUNT_STEP), this.deposit(name, batch.length + 2))
      }
      const created = await this.perform(batch)
      for (const [i, id] of created.entries()) if ((from + i) % every === 0) ids.push(id)
    }
    return ids
  }

  /** Runs commands and returns the ids of the invoices. Throws unless all succeed. */
  async perform(batch: readonly WalletCommand[]): Promise<readonly string[]> {
    const ids: string[] = []
    for (const fate of await this.store.commands.perform(batch)) {
      if (fate.status === 'rejected') throw fate.reason
      if (fate.value.type !== 'invoice') continue
      if (!fate.value.outcome.ok) throw new Error(fate.value.outcome.failure.message)
      ids.push(fate.value.outcome.value.id)
    }
    return ids
  }

  /**
   * An invoice of a wallet with its payment: a page of one, because of answers for single invoices the store keeps
   * those that are still true, and what counts here is what it costs to compute one.
   */
  page(name: string, id: string): InvoiceWithPayment | undefined {
    return this.store.invoices.pageWithPayment(name, { after: cursorAt(id), limit: 1 }).items[0]
  }

  /** Creations of amounts that nobody has, at random places among those of a history of that size. */
  creations(name: string, size: number, count: number): readonly WalletCommand[] {
    return Array.from({ length: count }, () => {
      const place = BigInt(randomInt(Math.max(size, 1))) * AMOUNT_STEP
      return this.invoice(name, place + BigInt(this.made + 1))
    })
  }

  /** Deposits of 0.000001, each received after everything before it. */
  deposits(name: string, count: number): readonly WalletCommand[] {
    return Array.from({ length: count }, () => this.deposit(name, 1))
  }

  private invoice(name: string, beyond: bigint): WalletCommand {
    const amount = 1000n * ATOMS + beyond
    this.made += 1
    return {
      type: 'invoice',
      request: {
        owner: name,
        walletIds: [name],
        name: 'Order',
        description: null,
        reference: `order-${this.series}-${String(this.made).padStart(8, '0')}`,
        amountText: formatAmount(amount),
        amount,
        currency: 'USDT',
        callbackUrl: null,
        isCallbackUrlValid: true,
        order: NO_ORDER_FIELDS,
        expiresInSeconds: null,
      },
    }
  }

  private deposit(name: string, laterMs: number): WalletCommand {
    this.made += 1
    const { address, network } = wallet(name, name)
    return {
      type: 'deposit',
      eventId: null,
      fact: {
        type: 'deposit',
        report: 'confirmed',
        sighting: {
          network,
          txHash: `${name}-${this.made}`,
          index: 0,
          toAddress: address,
          currency: 'Tether',
          amount: '1',
          receivedAt: this.clock.current + laterMs,
        },
      },
    }
  }
}

/** The cursor after which a list, newest first, continues with the invoice of that id. */
export function cursorAt(id: string): string {
  return (BigInt(`0x${id}`) + 1n).toString(16).padStart(id.length, '0')
}
