import { BoundedQueue } from '../base/bounded-queue.js'
import type { WalletCommand, WalletResult } from '../store/commands.js'

/** A command under way, in the mailboxes of all the wallets that it names. */
export interface Envelope {
  readonly command: WalletCommand
  readonly actors: readonly WalletActor[]
  readonly resolve: (result: WalletResult) => void
  readonly reject: (reason: unknown) => void
}

/** One wallet: everything that touches it takes its turn here. It holds no state of the wallet; the store does. */
export class WalletActor {
  /** Commands that wait for the wallet, in order of arrival. */
  readonly mailbox: BoundedQueue<Envelope>
  /** The turn this actor is taking part in, or null when it is free. */
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
 * Some actors acting as one: a batch of commands that name no other wallets. A command on several wallets runs when it
 * heads all of their mailboxes and all of them are free. It was put into all of them at once, so any two commands that
 * share two wallets stand in the same order in both: the oldest command that waits can always run, whatever the order in
 * which wallets were named, and nothing deadlocks.
 */
export class Turn {
  readonly batch: Envelope[] = []

  private constructor(readonly actors: readonly WalletActor[]) {}

  /** The turn that the head of an actor's mailbox is ready for; null when it has to wait. */
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

  /** Takes from the mailboxes, in their order, all commands that can run in this turn. */
  private gather(batchLimit: number): void {
    let isMoving = true
    while (isMoving) {
      isMoving = false
      for (const actor of this.actors) {
        for (let head = actor.mailbox.peek(); head !== undefined; head = actor.mailbox.peek()) {
          if (this.batch.length >= batchLimit || !this.isReady(head)) break
          for (const one of head.actors) one.mailbox.shift()
          this.batch.push(head)
          isMoving = true
        }
      }
    }
  }

  private isReady(envelope: Envelope): boolean {
    for (const actor of envelope.actors) {
      if (actor.turn !== this || actor.mailbox.peek() !== envelope) return false
    }
    return true
  }
}
