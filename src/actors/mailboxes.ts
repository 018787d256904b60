import type { CommandPort, Settled, WalletCommand, WalletResult } from '../store/commands.js'
import { type Envelope, Turn, WalletActor } from './wallet-actor.js'

export interface MailboxBounds {
  /** Maximum commands that wait for one wallet; those of one call count as one. */
  readonly mailboxCapacity: number
  /** Maximum commands that wait for all wallets together. */
  readonly totalCapacity: number
  /** Maximum commands in one turn, and wallets that a turn of creations grows to. */
  readonly turnLimit: number
}

export const DEFAULT_BOUNDS: MailboxBounds = { mailboxCapacity: 8192, totalCapacity: 65_536, turnLimit: 256 }

/** What a command is answered with. */
export type ResultOf<Command extends WalletCommand> = Extract<WalletResult, { type: Command['type'] }>

/** The wallet actors by their keys, created on first use and dropped when idle. */
export class Mailboxes {
  private readonly actors = new Map<string, WalletActor>()
  private waitingCount = 0
  private idleWaiters: (() => void)[] = []

  constructor(
    private readonly store: Pick<CommandPort, 'perform'>,
    private readonly bounds: MailboxBounds,
  ) {
    if (bounds.turnLimit > bounds.mailboxCapacity || bounds.mailboxCapacity > bounds.totalCapacity) {
      throw new Error('a turn must fit into a mailbox, and a mailbox into the directory')
    }
  }

  /** Number of actors. */
  get size(): number {
    return this.actors.size
  }

  /** Number of commands that wait or run. */
  get depth(): number {
    return this.waitingCount
  }

  /** Performs a command in a turn of all actors of some keys, none of which is there twice. Null if a mailbox is full. */
  submit<Command extends WalletCommand>(keys: readonly string[], command: Command): Promise<ResultOf<Command>> | null {
    if (!this.hasRoom(keys, 1)) return null
    return new Promise((resolve, reject) =>
      this.enter(keys, [command], (fates, from) => {
        const fate = fates[from]
        if (fate?.status === 'fulfilled') resolve(fate.value as ResultOf<Command>)
        else reject(fate?.reason)
      }),
    )
  }

  /** Likewise performs commands in one turn, in order, and answers their fates. */
  submitAll<Command extends WalletCommand>(
    keys: readonly string[],
    commands: readonly Command[],
  ): Promise<readonly Settled<ResultOf<Command>>[]> | null {
    if (!this.hasRoom(keys, commands.length)) return null
    return new Promise((resolve) =>
      this.enter(keys, commands, (fates, from) => {
        resolve(fates.slice(from, from + commands.length) as readonly Settled<ResultOf<Command>>[])
      }),
    )
  }

  /** Resolves when no command waits or runs. */
  idle(): Promise<void> {
    if (this.waitingCount === 0) return Promise.resolve()
    return new Promise((resolve) => this.idleWaiters.push(resolve))
  }

  private hasRoom(keys: readonly string[], count: number): boolean {
    if (this.waitingCount + count > this.bounds.totalCapacity) return false
    for (const key of keys) {
      if (this.actors.get(key)?.mailbox.isFull === true) return false
    }
    return true
  }

  /** Enters all mailboxes in this one call, so that all have commands in the same order. `checked` sees to the types of results. */
  private enter(keys: readonly string[], commands: readonly WalletCommand[], settle: Envelope['settle']): void {
    const actors = keys.map((key) => this.actor(key))
    const [first] = actors
    if (first === undefined || commands.length === 0) throw new Error('a turn needs a mailbox and a command')
    const envelope = { commands, actors, settle }
    for (const actor of actors) actor.mailbox.push(envelope)
    this.waitingCount += commands.length
    this.tryTurn(first)
  }

  private actor(key: string): WalletActor {
    const known = this.actors.get(key)
    if (known !== undefined) return known
    const actor = new WalletActor(key, this.bounds.mailboxCapacity)
    this.actors.set(key, actor)
    return actor
  }

  private tryTurn(actor: WalletActor): void {
    const turn = Turn.begin(actor, this.bounds.turnLimit)
    if (turn !== null) void this.take(turn)
  }

  /** Runs a turn. Every command of it is answered, even if the store throws, and the actors continue. */
  private async take(turn: Turn): Promise<void> {
    const { commands: all } = turn
    let fates: readonly Settled<WalletResult>[]
    try {
      fates = checked(all, await this.store.perform(all))
    } catch (reason) {
      fates = all.map(() => ({ status: 'rejected', reason }))
    }
    let from = 0
    for (const { commands, settle } of turn.batch) {
      settle(fates, from)
      from += commands.length
    }
    this.waitingCount -= all.length
    turn.end()
    for (const actor of turn.actors) {
      this.tryTurn(actor)
      if (actor.isIdle) this.actors.delete(actor.key)
    }
    if (this.waitingCount === 0) for (const wake of this.idleWaiters.splice(0)) wake()
  }
}

/** The fates of commands, each of its command's type. */
function checked(
  commands: readonly WalletCommand[],
  fates: readonly Settled<WalletResult>[],
): readonly Settled<WalletResult>[] {
  if (fates.length !== commands.length) throw new Error('the store answered another number of commands')
  for (let i = 0; i < fates.length; i += 1) {
    const fate = fates[i]
    if (fate?.status === 'fulfilled' && fate.value.type !== commands[i]?.type) {
      return fates.map((one, n) => ofType(one, commands[n]?.type))
    }
  }
  return fates
}

function ofType(fate: Settled<WalletResult>, type: WalletCommand['type'] | undefined): Settled<WalletResult> {
  if (fate.status === 'rejected' || fate.value.type === type) return fate
  return { status: 'rejected', reason: new Error(`a command of type ${type} was answered as a ${fate.value.type}`) }
}
