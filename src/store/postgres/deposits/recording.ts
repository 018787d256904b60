import type { DepositReport, Sighting } from '../../../domain/deposit.js'
import type { DepositFact } from '../../../domain/ledger-fact.js'
import { type Asking, answeredLater } from '../../rules/asking.js'
import { type DepositChange, type DepositJudge, judgeReport, type RecordedDeposit } from '../../rules/judge-report.js'
import { answeredTogether } from '../../rules/lockstep.js'
import { DepositRule } from '../../rules/record-deposit.js'
import { endDepositsAside } from '../chain/aside-rows.js'
import { Tale } from '../connection/tale.js'
import type { Work } from '../connection/work.js'
import type { InvoiceRow } from '../invoices/invoice-rows.js'
import { neighboursOf } from '../wallets/neighbours.js'
import { type AddressRow, placeNameOf } from '../wallets/wallet-rows.js'
import type { DepositMemo } from './deposit-memo.js'
import { type DepositId, type DepositRow, nameOf } from './deposit-rows.js'
import { PostgresDepositWork } from './deposit-work.js'
import { type Claim, waveOf } from './waves.js'

/** A change that is judged, and waits to be recorded with others. */
interface Judged {
  readonly change: DepositChange
  readonly rule: DepositRule<AddressRow, InvoiceRow, DepositRow, string>
  readonly tale: Tale
}

/**
 * Records the deposits of a unit of work. Each report is judged at once. The changes that they call for are recorded together, as far as
 * none of them depends on another, with the same result as one after the other.
 */
export class DepositRecording {
  private judged: Judged[] = []
  /** Which of their wallets share open invoices. Null when that is not known, or not any more. */
  private neighbours: ReadonlyMap<string, readonly string[]> | null = null
  /** What was reported without a flaw. */
  private reported: { readonly id: DepositId; readonly report: DepositReport }[] = []

  constructor(
    private readonly judge: DepositJudge,
    private readonly work: Work,
    private readonly memo: DepositMemo,
    private readonly choices = judge.choices(),
  ) {}

  async record(fact: DepositFact): Promise<RecordedDeposit> {
    const { work, memo, judge } = this
    const find = (sighting: Sighting) => memo.deposit(sighting)
    const { isSound, outcome, change } = await answeredLater(judgeReport(judge, fact, work.nowMs, find))
    if (isSound) this.reported.push({ id: fact.sighting, report: fact.report })
    if (change === null) return { outcome, owed: [] }
    memo.judge(change.deposit)
    const own = new PostgresDepositWork(work, memo, judge.terms.areWalletsShared)
    this.judged.push({ change, rule: new DepositRule(own, judge.terms, this.choices), tale: new Tale() })
    return { outcome, owed: own.owed }
  }

  /** What is set aside now stays so, whatever was reported of it before. */
  keepAside(id: DepositId): void {
    this.reported = this.reported.filter((one) => nameOf(one.id) !== nameOf(id))
  }

  /** Records what was judged. To be called before the unit ends. Rejects with `Unsettled` when some meet too much behind others. */
  async finish(): Promise<void> {
    const { judged, reported, work } = this
    if (reported.length > 0) endDepositsAside(work, reported)
    this.reported = []
    this.judged = []
    for (let left: readonly Judged[] = judged; left.length > 0; ) {
      const wave = await this.nextWave(left)
      const together = left.filter((_, i) => wave.includes(i))
      await this.inLockstep(together, ({ change, rule }) => rule.record(change, this.memo.knownRow(change.deposit)))
      // Invoices that were opened again are shared again.
      if (together.some(({ change }) => change.from === 'confirmed')) this.neighbours = null
      left = left.filter((_, i) => !wave.includes(i))
    }
    this.neighbours = null
    this.choices.assertSettled()
    work.join(judged.map(({ tale }) => tale))
  }

  /** The places of those which can be recorded together now. */
  private async nextWave(left: readonly Judged[]): Promise<readonly number[]> {
    if (left.length === 1) return [0]
    const claims = await this.claimsOf(left)
    const front = waveOf(claims)
    if (front.length === 1) return front
    // Which invoices they are matched to is known only of those that do not wait for another.
    const foreseen = await this.inLockstep(
      left.filter((_, i) => front.includes(i)),
      ({ change, rule }) => rule.foresee(change, this.memo.knownRow(change.deposit)),
    )
    const notified = new Map(front.map((i, n) => [i, foreseen[n] ?? null]))
    return waveOf(claims.map((claim, i) => withInvoice(claim, notified.get(i) ?? null)))
  }

  private async claimsOf(left: readonly Judged[]): Promise<readonly Claim[]> {
    const { memo, work } = this
    const known = left.map(({ change }) => memo.knownRow(change.deposit)?.invoiceId ?? null)
    const addresses = left.map(({ change }) => memo.address(change.deposit))
    const invoices = known.map((id) => (id === null ? null : memo.invoices.known(id)))
    memo.send()
    const rows = await Promise.all(addresses)
    const notified = await Promise.all(invoices)
    this.neighbours ??= await neighboursOf(
      work,
      rows.flatMap(({ wallet }) => wallet?.id ?? []),
    )
    return Promise.all(
      left.map(async ({ change: { from, deposit } }, i): Promise<Claim> => {
        const wallet = rows[i]?.wallet ?? null
        const owner = wallet?.owner ?? null
        const claim: Claim = {
          changes: [nameOf(deposit), wallet === null ? placeNameOf(deposit) : walletName(wallet.id)],
          reads: (wallet === null ? [] : (this.neighbours?.get(wallet.id) ?? [])).map(walletName),
          // What a deposit that leaves the confirmed ones opens again is not known before.
          isAlone: from === 'confirmed' && wallet !== null,
          isOrdered: owner !== null && (await memo.configuration(owner)).payload === 'with-invoice',
        }
        return withInvoice(claim, notified[i] ?? null)
      }),
    )
  }

  private async inLockstep<T>(judged: readonly Judged[], rule: (one: Judged) => Asking<T>): Promise<readonly T[]> {
    const { memo, work } = this
    const tales = judged.map(({ tale }) => tale)
    const answers = await answeredTogether(judged.map(rule), {
      turn: (i) => work.tell(tales[i] ?? null),
      send: () => memo.send(),
    })
    work.tell(null)
    return answers
  }
}

/** What a deposit does to an order is not known before: it may end invoices on any wallet. */
function withInvoice({ changes, reads, ...rest }: Claim, invoice: InvoiceRow | null): Claim {
  if (invoice === null) return { changes, reads, ...rest }
  return {
    ...rest,
    isAlone: rest.isAlone || invoice.orderId !== null,
    changes: [...changes, `invoice ${invoice.id}`],
    reads: [...reads, ...invoice.walletIds.map(walletName)],
  }
}

function walletName(id: string): string {
  return `wallet ${id}`
}
