import { sightingsOf } from '../../../domain/block.js'
import { type Outcome, refuse, succeed } from '../../../domain/failure.js'
import { isCovered, refuseVoiding } from '../../../domain/voiding.js'
import type {
  CommandPort,
  DepositCommand,
  DepositResult,
  InvoiceCommand,
  InvoiceResult,
  Settled,
  VoidCommand,
  WalletCommand,
  WalletResult,
} from '../../commands.js'
import type { InvoiceWithPayment } from '../../store.js'
import { lockStep, StepTaker } from '../chain/chain-steps.js'
import { Batcher } from '../connection/batcher.js'
import type { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import type { DepositRecorder } from '../deposits/recorder.js'
import type { Fence } from '../fence.js'
import { answerOf, isNamed, STATE } from '../invoices/invoice-rows.js'
import { decided, expireDue, lockInvoice, selectDue, voided } from '../invoices/settle.js'
import { isUnsettled, settlePiece } from '../invoices/unsettled-wallets.js'
import { keysOf, refusalOf } from '../keys/key-port.js'
import { earlierAnswer, rememberAnswer } from '../ledger/answered-events.js'
import { lockAddresses } from '../wallets/wallet-rows.js'
import { answerOfEarlier, createAll } from './create.js'
import { hex } from './creation-facts.js'
import { Gathering } from './gathering.js'
import { earlierRequests, removeExpired } from './requests.js'

/** Performs what takes its turn in the mailboxes of wallets: creates, voids, records, takes steps. */
export class PostgresCommands implements CommandPort {
  private readonly creations = new Gathering((creations: readonly InvoiceCommand[]) => this.createAll(creations))
  /** The owner of each wallet that has one. */
  private readonly owners = new Batcher((walletIds: readonly string[]) => this.ownersOf(walletIds))
  /** The wallet that was examined last, so that each has its turn. */
  private settledWallet = ''

  constructor(
    private readonly database: Database,
    private readonly deposits: DepositRecorder,
    /** Whether several unpaid invoices of a currency may share a wallet (decisions 6). */
    private readonly areWalletsShared: boolean,
    private readonly fence: Fence,
  ) {}

  async perform(batch: readonly WalletCommand[]): Promise<readonly Settled<WalletResult>[]> {
    const fates: Settled<WalletResult>[] = []
    while (fates.length < batch.length) {
      const creations = leadingCreations(batch.slice(fates.length))
      const command = batch[fates.length]
      if (creations.length > 0) fates.push(...(await this.creations.perform(creations)))
      else if (command !== undefined && command.type !== 'invoice') {
        fates.push(...(await Promise.allSettled([this.performOne(command)])))
      }
    }
    return fates
  }

  async answerWithoutTurn({ request, terms }: InvoiceCommand): Promise<InvoiceResult | null> {
    const { owner, walletIds } = request
    const owners = await Promise.all(walletIds.map((id) => this.owners.ask(id)))
    if (owners.every((one) => one === owner)) return null
    const idempotency = terms?.idempotency
    if (idempotency !== undefined) {
      const earlier = await this.database.write((work) => earlierRequests(work, [idempotency.scope]))
      const known = earlier.get(hex(idempotency.scope))
      if (known !== undefined) return answerOfEarlier(known, hex(idempotency.bodyHash))
    }
    return { type: 'invoice', outcome: refuse('wallet_not_owned'), isReplay: false }
  }

  async catchUp(): Promise<boolean> {
    if (!(await this.isLeft())) return false
    await this.database.write(async (work) => {
      await work.readClock()
      return expireDue(work)
    })
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

  private async ownersOf(walletIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database.read<{ id: string; owner: string }>(
      sql`SELECT id, owner FROM wallets WHERE id = ANY(${walletIds}::text[]) AND owner IS NOT NULL`,
    )
    return new Map(rows.map(({ id, owner }) => [id, owner]))
  }

  private async isLeft(): Promise<boolean> {
    const due = await this.database.read(selectDue(this.database.now, 1))
    return due.length > 0 || (await isUnsettled(this.database))
  }

  private createAll(creations: readonly InvoiceCommand[]): Promise<readonly InvoiceResult[]> {
    return this.database.write((work) => createAll(work, creations, this.areWalletsShared), creations.length)
  }

  private performOne(command: Exclude<WalletCommand, InvoiceCommand>): Promise<WalletResult> {
    switch (command.type) {
      case 'void':
        return this.database.write(async (work) => ({ type: 'void', outcome: await voidInvoice(work, command) }))
      case 'deposit':
        return this.untilDone((work) => this.recordDeposit(work, command))
      case 'chain':
        return this.untilDone(async (work) => {
          const { step } = command
          await this.fence.hold(work)
          await lockStep(work, step, this.deposits)
          await work.readClock()
          await expireDue(work)
          if (!(await this.deposits.settle(work, sightingsOf(step)))) return null
          return { type: 'chain', ...(await new StepTaker(work, step.network, this.deposits).take(step)) }
        })
    }
  }

  /** A unit that answers null has settled a piece of what it met, and goes on in another transaction. */
  private async untilDone<T>(unit: (work: Work) => Promise<T | null>): Promise<T> {
    for (;;) {
      const result = await this.database.write(unit)
      if (result !== null) return result
    }
  }

  private async recordDeposit(work: Work, { eventId, fact }: DepositCommand): Promise<DepositResult | null> {
    const { sighting } = fact
    if (this.deposits.flawOf(sighting) === null) {
      await lockAddresses(work, sighting.network, [sighting.toAddress])
    }
    const answered = await earlierAnswer(work, eventId)
    await work.readClock()
    await expireDue(work)
    if (answered !== null) {
      const outcome = answered.status === 'duplicate' ? { ...answered, deposit: null } : answered
      return { type: 'deposit', outcome, owed: [] }
    }
    if (!(await this.deposits.settle(work, [sighting]))) return null
    const recorded = await this.deposits.record(work, fact)
    rememberAnswer(work, eventId, recorded.outcome)
    return { type: 'deposit', ...recorded }
  }
}

function leadingCreations(batch: readonly WalletCommand[]): readonly InvoiceCommand[] {
  const end = batch.findIndex(({ type }) => type !== 'invoice')
  return (end === -1 ? batch : batch.slice(0, end)) as readonly InvoiceCommand[]
}

/** Voids an invoice for its owner. A void one stays as it is. */
async function voidInvoice(
  work: Work,
  { invoiceId, owner, authority }: VoidCommand,
): Promise<Outcome<InvoiceWithPayment>> {
  const keys = await keysOf(work, authority === undefined ? [] : [authority.keyId])
  const named = isNamed(invoiceId)
  const found =
    named === null
      ? undefined
      : await work.row<{ id: string; wallet_ids: readonly string[] }>(
          sql`SELECT i.id, i.wallet_ids FROM invoices AS i WHERE ${named}`,
        )
  if (found !== undefined) {
    work.lock(sql`SELECT w.id FROM wallets AS w WHERE w.id = ANY(${found.wallet_ids}::text[]) ORDER BY w.id FOR UPDATE`)
  }
  const nowMs = await work.readClock()
  await expireDue(work)
  const denied = refusalOf(keys, authority, nowMs)
  if (denied !== null) return { ok: false, failure: denied }
  if (found === undefined) return refuse('invoice_not_found')
  const row = decided(work, await lockInvoice(work, found.id))
  const isCoveredNow = row.state !== STATE.void && isCovered(row.atoms, row.received)
  const refusal = refuseVoiding(owner, row.invoice.owner, isCoveredNow)
  if (refusal !== null) return { ok: false, failure: refusal }
  if (row.state === STATE.void) return succeed(answerOf(row, nowMs))
  const gone = voided(work, row, nowMs, 'invoice.voided')
  for (const walletId of row.walletIds) work.changed(walletId)
  return succeed(answerOf(gone, nowMs))
}
