import type { InvoiceTerms } from '../../../domain/invoice.js'
import {
  type ChainCommand,
  type ChainResult,
  type CommandPort,
  type DepositCommand,
  type DepositResult,
  type InvoiceCommand,
  type InvoiceResult,
  placesOf,
  type Settled,
  TrialPassed,
  type WalletCommand,
  type WalletResult,
} from '../../commands.js'
import { answeredNow } from '../../rules/asking.js'
import { takeStep } from '../../rules/chain-step.js'
import { answerUnrecorded, type DepositCommandWork } from '../../rules/deposit-command.js'
import { type EndCommand, type EndResult, endAsAsked } from '../../rules/end-command.js'
import type { DepositJudge } from '../../rules/judge-report.js'
import { answerUnownedCreation, answerUnownedOrderCreation } from '../../rules/unowned-wallets.js'
import type { AtOnce } from '../at-once.js'
import { LmdbAuditWork } from '../audit-rows.js'
import { putDepositAside } from '../chain/aside-rows.js'
import { chainWorkOn } from '../chain/chain-steps.js'
import type { Commit, Snapshot } from '../commit/commit.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { recordDeposit } from '../deposits/deposits.js'
import { createIn } from '../invoices/create-invoice.js'
import { LmdbEndWork } from '../invoices/end-invoice.js'
import type { InvoiceAnswers } from '../invoices/invoice-answers.js'
import { expireDue, isExpiryNext } from '../invoices/invoice-index.js'
import { isUnsettled, settlePiece } from '../invoices/unsettled-wallets.js'
import { earlierAnswer, rememberAnswer } from '../ledger/events.js'
import { createOrderIn } from '../orders/create-order.js'
import { endOrderWorkOn } from '../orders/end-order.js'
import { expireOrdersDue, isOrderExpiryNext } from '../orders/order-expiry.js'
import { removeExpiredRequests } from './idempotency.js'
import { LmdbUnowned } from './unowned.js'

export interface CommandParts {
  readonly commits: CommitLoop
  readonly judge: DepositJudge
  readonly answers: InvoiceAnswers
  readonly terms: InvoiceTerms
}

/** What one piece of catching up may take: others go between. */
const PIECE_MS = 2
const PIECE_LOOKUPS = 600

/** Performs what takes its turn in the mailboxes of wallets: creates, voids, records, takes steps. */
export function lmdbCommands(parts: CommandParts): AtOnce<CommandPort> {
  const { commits, terms } = parts
  const unowned = new LmdbUnowned(commits)
  return {
    perform(batch) {
      if (!areInvoices(batch)) return performInPieces(parts, batch)
      return commits.runAllAdmitted(
        batch.map((command) => (commit: Commit) => create(commit, command, terms)),
        batch.map(placesOf),
      )
    },
    answerWithoutTurn(command) {
      const { owner, walletIds } = command.request
      // As it is with nearly every creation.
      if (unowned.areOwn(owner, walletIds)) return null
      return answeredNow(answerUnownedCreation(unowned, command))
    },
    answerOrderWithoutTurn(command) {
      const { owner, options } = command.request
      if (options.every(({ walletIds }) => unowned.areOwn(owner, walletIds))) return null
      return answeredNow(answerUnownedOrderCreation(unowned, command))
    },
    async catchUp() {
      if (!isLeftIn(commits.snapshot)) return false
      // A silent piece must not hide expiries: those come first.
      await commits.runAdmitted((commit) => {
        const slice = commit.slice(PIECE_MS, PIECE_LOOKUPS)
        if (expireDue(commit, slice) && expireOrdersDue(commit, slice)) settlePiece(commit, slice)
      })
      return isLeftIn(commits.snapshot)
    },
    removeExpiredRequests: (limit) => commits.run((commit) => removeExpiredRequests(commit, limit)),
  }
}

/** Whether there is anything to catch up with. */
function isLeftIn(snapshot: Snapshot): boolean {
  return isExpiryNext(snapshot) || isOrderExpiryNext(snapshot) || isUnsettled(snapshot)
}

/** Performs commands in order, in more than one commit when one of them has to wait: it holds up those behind it. */
async function performInPieces(
  parts: CommandParts,
  batch: readonly WalletCommand[],
): Promise<readonly Settled<WalletResult>[]> {
  const { commits, answers } = parts
  const fates: Settled<WalletResult>[] = []
  while (fates.length < batch.length) {
    let isHeldUp = false
    const left = batch.slice(fates.length)
    const units = left.map((command) => (commit: Commit) => {
      const result = isHeldUp ? null : performOne(parts, commit, command)
      isHeldUp = result === null
      return result
    })
    for (const fate of await commits.runAllAdmitted(units, left.map(placesIn))) {
      if (fate.status === 'rejected') fates.push(fate)
      else if (fate.value !== null) fates.push({ status: 'fulfilled', value: fate.value })
      else break
    }
  }
  // Not before: until the commit is durable readers see the invoice as it was, and may keep it so.
  for (const command of batch) {
    if (command.type === 'void' || command.type === 'accept') answers.forget(command.invoiceId)
  }
  return fates
}

/** Null when the command has to wait for another commit. */
function performOne({ terms, judge }: CommandParts, commit: Commit, command: WalletCommand): WalletResult | null {
  if (command.type === 'invoice') return create(commit, command, terms)
  expireDue(commit, commit.aside)
  switch (command.type) {
    case 'order':
      return createOrderIn(commit, command, terms)
    case 'chain':
      return performStep(commit, command, judge)
    case 'deposit':
      return performDeposit(commit, command, judge)
    default:
      return endIn(commit, command)
  }
}

function performDeposit(commit: Commit, command: DepositCommand, judge: DepositJudge): DepositResult | null {
  const answer = answeredNow(answerUnrecorded(commandWorkOn(commit), command))
  if (answer !== null) return answer
  const { eventId, fact } = command
  const choices = judge.choices()
  const recorded = recordDeposit(commit, judge, fact, choices)
  if (choices.unsettled.length > 0) return null
  rememberAnswer(commit, eventId, recorded.outcome)
  return { type: 'deposit', ...recorded }
}

function commandWorkOn(commit: Commit): DepositCommandWork {
  return {
    nowMs: commit.nowMs,
    earlierAnswer: (eventId) => earlierAnswer(commit, eventId),
    putAside: (aside) => putDepositAside(commit, aside),
    remember: (eventId, outcome) => rememberAnswer(commit, eventId, outcome),
  }
}

function endIn(commit: Commit, command: EndCommand): EndResult {
  const audit = new LmdbAuditWork(commit)
  return answeredNow(endAsAsked({ audit, invoices: new LmdbEndWork(commit), orders: endOrderWorkOn(commit) }, command))
}

/** Null when it has only settled a piece of what the step meets. */
function performStep(commit: Commit, { step, aside, isTrial }: ChainCommand, judge: DepositJudge): ChainResult | null {
  const taken = answeredNow(takeStep(chainWorkOn(commit, step.network, judge), step, aside))
  if (taken !== null && isTrial === true) throw new TrialPassed()
  return taken === null ? null : { type: 'chain', outcome: taken.outcome, owed: taken.owed.flat() }
}

function areInvoices(batch: readonly WalletCommand[]): batch is readonly InvoiceCommand[] {
  return batch.every(({ type }) => type === 'invoice')
}

/** On how many wallets a command enters invoices, as far as it says so. */
function placesIn(command: WalletCommand): number {
  return command.type === 'invoice' || command.type === 'order' ? placesOf(command) : 0
}

function create(commit: Commit, command: InvoiceCommand, terms: InvoiceTerms): InvoiceResult {
  expireDue(commit, commit.aside)
  return createIn(commit, command, terms)
}
