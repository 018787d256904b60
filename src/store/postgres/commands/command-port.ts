import { EVENT_LOOP } from '../../../base/turns.js'
import { INVOICE_WALLETS_MAX, type InvoiceTerms } from '../../../domain/invoice.js'
import {
  type ChainCommand,
  type ChainResult,
  type CommandPort,
  type DepositCommand,
  type InvoiceCommand,
  type InvoiceResult,
  type OrderCommand,
  type OrderResult,
  placesOf,
  type Settled,
  TrialPassed,
  type WalletCommand,
  type WalletResult,
} from '../../commands.js'
import { answeredLater } from '../../rules/asking.js'
import { type EndCommand, endAsAsked } from '../../rules/end-command.js'
import type { DepositJudge } from '../../rules/judge-report.js'
import { answerUnownedCreation, answerUnownedOrderCreation } from '../../rules/unowned-wallets.js'
import { PostgresAuditWork } from '../audit.js'
import { takeStep } from '../chain/chain-steps.js'
import type { Database } from '../connection/database.js'
import type { Fence } from '../fence.js'
import { PostgresEndWork } from '../invoices/end-invoice.js'
import { expireDue, selectDue } from '../invoices/settle.js'
import { isUnsettled, settlePiece } from '../invoices/unsettled-wallets.js'
import { endOrderWorkOn } from '../orders/end-order.js'
import { expireOrdersDue, selectOrdersDue } from '../orders/order-expiry.js'
import { lockNeeded } from '../wallets/wallet-rows.js'
import { createAll } from './create.js'
import { DepositCommands } from './deposit-commands.js'
import { Gathering } from './gathering.js'
import { leading } from './leading.js'
import { removeExpired } from './requests.js'
import { PostgresUnowned } from './unowned.js'
import { untilDone } from './until-done.js'

/** What creates invoices. */
type Creation = InvoiceCommand | OrderCommand

/** Wallets of the creations in one transaction: each is locked, looked at and written. */
const CREATION_WALLETS_MAX = 256
const CREATIONS_RUNNING = 2
/** What an order costs beside its wallets: its own row, and the steps by which its amounts may have to be raised. */
const ORDER_WEIGHT = 2
/**
 * What a creation weighs at least that is done aside: an order on more wallets than an invoice may name. The widest keeps
 * PostgreSQL busy for some 12 ms, so however many are asked for, one transaction of them is under way at a time.
 */
const WIDE_WEIGHT = INVOICE_WALLETS_MAX + ORDER_WEIGHT + 1

/** Performs what takes its turn in the mailboxes of wallets: creates, voids, records, takes steps. */
export class PostgresCommands implements CommandPort {
  private readonly creations = new Gathering({
    most: CREATION_WALLETS_MAX,
    ownerOf: ({ request }: Creation) => request.owner,
    aside: { from: WIDE_WEIGHT, rests: EVENT_LOOP },
    running: CREATIONS_RUNNING,
    weightOf,
    performAll: (calls: readonly (readonly Creation[])[]) => this.createAll(calls.flat()),
  })
  private readonly recordings: DepositCommands
  private readonly unowned: PostgresUnowned
  /** The wallet that was examined last, so that each has its turn. */
  private settledWallet = ''

  constructor(
    private readonly database: Database,
    private readonly judge: DepositJudge,
    private readonly terms: InvoiceTerms,
    private readonly fence: Fence,
  ) {
    this.unowned = new PostgresUnowned(database)
    this.recordings = new DepositCommands(database, judge)
  }

  async perform(batch: readonly WalletCommand[]): Promise<readonly Settled<WalletResult>[]> {
    const fates: Settled<WalletResult>[] = []
    while (fates.length < batch.length) {
      const rest = batch.slice(fates.length)
      const [command] = rest
      switch (command?.type) {
        case 'invoice':
        case 'order':
          fates.push(...(await this.creations.perform(leading(rest, isCreation))))
          break
        case 'deposit':
          fates.push(...(await this.recordings.perform(leading(rest, isDeposit))))
          break
        case 'chain':
          fates.push(...(await Promise.allSettled([this.takeStep(command)])))
          break
        case 'void':
        case 'accept':
        case 'void-order':
        case 'accept-order':
          fates.push(...(await Promise.allSettled([this.end(command)])))
      }
    }
    return fates
  }

  answerWithoutTurn(command: InvoiceCommand): Promise<InvoiceResult | null> {
    return answeredLater(answerUnownedCreation(this.unowned, command))
  }

  answerOrderWithoutTurn(command: OrderCommand): Promise<OrderResult | null> {
    return answeredLater(answerUnownedOrderCreation(this.unowned, command))
  }

  async catchUp(): Promise<boolean> {
    if (!(await this.isLeft())) return false
    await this.database.write(async (work) => {
      await work.readClock()
      return expireDue(work)
    })
    if ((await this.database.read(selectOrdersDue(this.database.now, 1))).length > 0) {
      await this.database.write(async (work) => {
        lockNeeded(work)
        await work.readClock()
        return expireOrdersDue(work)
      })
    }
    const settled = await this.database.write(async (work) => {
      await work.readClock()
      return settlePiece(work, this.settledWallet)
    })
    this.settledWallet = settled ?? ''
    return this.isLeft()
  }

  removeExpiredRequests(limit: number): Promise<number> {
    return this.database.writeRequested((work) => removeExpired(work, limit))
  }

  private async isLeft(): Promise<boolean> {
    const due = await this.database.read(selectDue(this.database.now, 1))
    if (due.length > 0) return true
    const orders = await this.database.read(selectOrdersDue(this.database.now, 1))
    return orders.length > 0 || (await isUnsettled(this.database))
  }

  private createAll(creations: readonly Creation[]): Promise<readonly (InvoiceResult | OrderResult)[]> {
    return this.database.write((work) => createAll(work, creations, this.terms), creations.length)
  }

  private end(command: EndCommand): Promise<WalletResult> {
    return this.database.write((work) => {
      const audit = new PostgresAuditWork(work)
      return answeredLater(
        endAsAsked({ audit, invoices: new PostgresEndWork(work), orders: endOrderWorkOn(work) }, command),
      )
    })
  }

  private async takeStep({ step, aside, isTrial }: ChainCommand): Promise<ChainResult> {
    const { outcome, owed } = await untilDone(this.database, async (work) => {
      await this.fence.hold(work)
      const taken = await takeStep(work, step, this.judge, aside)
      if (taken === null || isTrial !== true) return taken
      await work.rehearse()
      throw new TrialPassed()
    })
    return { type: 'chain', outcome, owed: owed.flat() }
  }
}

function isCreation(command: WalletCommand): command is Creation {
  return command.type === 'invoice' || command.type === 'order'
}

function isDeposit(command: WalletCommand): command is DepositCommand {
  return command.type === 'deposit'
}

function weightOf(creation: Creation): number {
  return placesOf(creation) + (creation.type === 'order' ? ORDER_WEIGHT : 0)
}
