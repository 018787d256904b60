import { BoundedQueue } from '../base/bounded-queue.js'
import { INVOICE_WALLETS_MAX } from '../domain/invoice.js'
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
 * A batch of commands. A command on several wallets runs when it is at the head of all of their mailboxes and all of them are
 * free. It enters all of them at once, so two commands that share wallets are in the same order in each shared mailbox. The
 * oldest waiting command can therefore always run, and nothing deadlocks, whatever the order in which clients name wallets.
 *
 * What waits behind the first command joins its turn. A turn of creations takes further wallets in for creations on wallets of its own
 * and free ones, so those of a shop whose orders share some of their wallets go to the store together. Other turns take none in:
 * what they do may be long, and more would wait for it.
 *
 * A turn is answered when all of it is done. So orders on more wallets than an invoice may name join one only as far as they are on few
 * wallets together: otherwise dozens of them would be answered at once, and as many clients would ask for the next ones at once.
 */
export class Turn {
  readonly actors: WalletActor[] = []
  readonly batch: Envelope[] = []
  /** The commands of the batch. */
  readonly commands: WalletCommand[] = []
  /** Wallets of its wide creations, counted for each of them. */
  private wideWallets = 0

  /** `limit`: commands, wallets that it grows to, and wallets of wide creations, at most. */
  private constructor(
    private readonly limit: number,
    private readonly mayGrow: boolean,
  ) {}

  /** Begins the turn of the command at the head of an actor's mailbox; null if it has to wait. */
  static begin(actor: WalletActor, limit: number): Turn | null {
    const head = actor.mailbox.peek()
    if (head === undefined) return null
    for (const one of head.actors) {
      if (one.turn !== null || one.mailbox.peek() !== head) return null
    }
    const turn = new Turn(limit, isOfCreations(head))
    turn.take(head)
    turn.gather()
    return turn
  }

  /** Frees the actors. */
  end(): void {
    for (const actor of this.actors) actor.turn = null
  }

  /** Takes all that can run in this turn from the mailboxes, in order; what does not fit into any turn is alone in one. */
  private gather(): void {
    // An actor whose mailbox has another head is added again, and comes again.
    const toLookAt = new Set(this.actors)
    for (const actor of toLookAt) {
      toLookAt.delete(actor)
      for (let head = actor.mailbox.peek(); head !== undefined; head = actor.mailbox.peek()) {
        if (!this.hasRoom(head) || !this.mayTake(head)) break
        this.take(head)
        for (const one of head.actors) if (one !== actor) toLookAt.add(one)
      }
    }
  }

  private take(envelope: Envelope): void {
    for (const one of envelope.actors) {
      one.mailbox.shift()
      if (one.turn === this) continue
      one.turn = this
      this.actors.push(one)
    }
    this.batch.push(envelope)
    if (isWide(envelope)) this.wideWallets += envelope.actors.length
    for (const command of envelope.commands) this.commands.push(command)
  }

  private hasRoom(envelope: Envelope): boolean {
    if (this.commands.length + envelope.commands.length > this.limit) return false
    return !isWide(envelope) || this.wideWallets === 0 || this.wideWallets + envelope.actors.length <= this.limit
  }

  private mayTake(envelope: Envelope): boolean {
    let size = this.actors.length
    for (const one of envelope.actors) {
      if (one.mailbox.peek() !== envelope) return false
      if (one.turn === this) continue
      size += 1
      if (!this.mayGrow || one.turn !== null || size > this.limit) return false
    }
    return size === this.actors.length || isOfCreations(envelope)
  }
}

function isWide(envelope: Envelope): boolean {
  return envelope.actors.length > INVOICE_WALLETS_MAX && isOfCreations(envelope)
}

function isOfCreations({ commands }: Envelope): boolean {
  return commands.every(({ type }) => type === 'invoice' || type === 'order')
}
