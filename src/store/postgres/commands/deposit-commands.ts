import type { DepositCommand, DepositResult, Settled } from '../../commands.js'
import { isOfStore } from '../../refusals.js'
import type { DepositJudge } from '../../rules/judge-report.js'
import type { Database } from '../connection/database.js'
import { Gathering } from './gathering.js'
import { leading } from './leading.js'
import { recordDeposits, setDepositAside } from './record-deposits.js'
import { untilDone } from './until-done.js'

/** Deposits in one transaction. Each takes some statements of its own, while the wallets of all are locked. */
const DEPOSITS_MAX = 64
const RECORDINGS_RUNNING = 4

/** Records deposits, those of one call in its order, and those of several calls together. */
export class DepositCommands {
  private readonly gathering = new Gathering({
    most: DEPOSITS_MAX,
    running: RECORDINGS_RUNNING,
    performAll: (calls: readonly (readonly DepositCommand[])[]) => this.recordAll(calls),
    isStop: isHeldUp,
  })

  constructor(
    private readonly database: Database,
    private readonly judge: DepositJudge,
  ) {}

  /** Behind one that the store refuses nothing is recorded: its sender repeats all of them. */
  async perform(commands: readonly DepositCommand[]): Promise<readonly Settled<DepositResult>[]> {
    const fates: Settled<DepositResult>[] = []
    while (fates.length < commands.length) {
      const rest = commands.slice(fates.length)
      const [first] = rest
      // A transaction of its own: what others report of the same deposit comes before or after.
      if (first?.aside !== undefined) fates.push(...(await Promise.allSettled([this.setAside(first)])))
      else fates.push(...(await this.recordUntilHeldUp(leading(rest, isRecorded))))
      const last = fates.at(-1)
      if (last !== undefined && isRefused(last)) return [...fates, ...commands.slice(fates.length).map(() => last)]
    }
    return fates
  }

  /** The fates of the first commands, up to one that meets much: it is recorded alone, so that other calls do not wait for it. */
  private async recordUntilHeldUp(commands: readonly DepositCommand[]): Promise<readonly Settled<DepositResult>[]> {
    const fates: Settled<DepositResult>[] = []
    for (const [i, fate] of (await this.gathering.perform(commands)).entries()) {
      const command = commands[i]
      if (fate.status === 'rejected') fates.push(fate)
      else if (fate.value !== null) fates.push({ status: 'fulfilled', value: fate.value })
      else return [...fates, ...(command === undefined ? [] : await Promise.allSettled([this.recordAlone(command)]))]
    }
    return fates
  }

  private setAside(command: DepositCommand): Promise<DepositResult> {
    return this.database.write((work) => setDepositAside(work, command, this.judge))
  }

  private recordAlone(command: DepositCommand): Promise<DepositResult> {
    return untilDone(this.database, async (work) => (await recordDeposits(work, [[command]], this.judge))[0] ?? null)
  }

  private recordAll(calls: readonly (readonly DepositCommand[])[]): Promise<readonly (DepositResult | null)[]> {
    return this.database.write((work) => recordDeposits(work, calls, this.judge), calls.flat().length)
  }
}

/** Whether it is not to be set aside. */
function isRecorded(command: DepositCommand): command is DepositCommand {
  return command.aside === undefined
}

/** Whether those behind a deposit in its call wait for it, or for a repetition of the call. */
function isHeldUp(fate: Settled<DepositResult | null>): boolean {
  return isRefused(fate) || (fate.status === 'fulfilled' && fate.value === null)
}

function isRefused(fate: Settled<unknown>): fate is PromiseRejectedResult {
  return fate.status === 'rejected' && isOfStore(fate.reason)
}
