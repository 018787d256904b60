import { BoundedQueue } from '../base/bounded-queue.js'
import type { Settled, WalletCommand, WalletResult } from '../store/commands.js'

/** A command, or several that stay together in this order, in the mailboxes of all wallets that they name. */
export interface Envelope {
  readonly commands: readonly WalletCommand[]
  readonly actors: readonly WalletActor[]
  /** Takes the fates of a turn, of which those of the commands begin at `from`, in their order. */
  readonly settle: (fates: readonly Settled<WalletResult>[], from: number) => void
}

/** The queue of one wallet. Every command on the wallet takes its turn here; its state is in the store. */
export class WalletActor {
  /** Commands that wait for the wallet, in order of arrival. */
  readonly mailbox: BoundedQueue<Envelope>
  /** The turn that this actor takes part in; null if it is free. */
  turn: Turn | null = null

  constructor(
    readonly key: string,
    capacity: number,
  ) {
    this.mailbox = new BoundedQueue(capacity)
  }

  get isIdle(): boolean {
    return this.turn === null && this.mailbox.size === 0
  }
}

/**
 * A batch of commands on the same set of actors. A command on several wallets runs when it is at the head of all of
 * their mailboxes and all of them are free. It enters all of them at once, so two commands that share wallets are in
 * the same order in each shared mailbox. The oldest waiting command can therefore always run, and nothing deadlocks,
 * whatever the order in which clients name wallets.
 */
export class Turn {
  readonly batch: Envelope[] = []
  /** The commands of the batch. */
  readonly commands: WalletCommand[] = []

  private constructor(readonly actors: readonly WalletActor[]) {}

  /** Begins the turn of the command at the head of an actor's mailbox; null if it has to wait. */
  static begin(actor: WalletActor, batchLimit: number): Turn | null {
    const head = actor.mailbox.peek()
    if (head === undefined) return null
    for (const one of head.actors) {
      if (one.turn !== null || one.mailbox.peek() !== head) return null
    }
    const turn = new Turn(head.actors)
    for (const one of head.actors) one.turn = turn
    turn.gather(batchLimit)
    return turn
  }

  /** Frees the actors. */
  end(): void {
    for (const actor of this.actors) actor.turn = null
  }

  /** Takes all commands that can run in this turn from the mailboxes, in order; what does not fit into any turn is alone in one. */
  private gather(batchLimit: number): void {
    let isMoving = true
    while (isMoving) {
      isMoving = false
      for (const actor of this.actors) {
        for (let head = actor.mailbox.peek(); head !== undefined; head = actor.mailbox.peek()) {
          if (!this.hasRoom(head, batchLimit) || !this.isReady(head)) break
          for (const one of head.actors) one.mailbox.shift()
          this.batch.push(head)
          for (const command of head.commands) this.commands.push(command)
          isMoving = true
        }
      }
    }
  }

  private hasRoom({ commands }: Envelope, batchLimit: number): boolean {
    return this.batch.length === 0 || this.commands.length + commands.length <= batchLimit
  }

  private isReady(envelope: Envelope): boolean {
    for (const actor of envelope.actors) {
      if (actor.turn !== this || actor.mailbox.peek() !== envelope) return false
    }
    return true
  }
}
