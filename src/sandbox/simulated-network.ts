import type { RandomFill } from '../crypto/random.js'
import type { Deposit, DepositReport, DepositStatus, Sighting } from '../domain/deposit.js'
import { type Outcome, succeed } from '../domain/failure.js'
import type { Network } from '../domain/network.js'
import type { Report, Watcher } from '../networks/watcher.js'
import type { Scheduler } from '../scheduler.js'
import type { Store } from '../store/store.js'
import { randomAddress } from './address.js'
import { refuseDeposit } from './deposit-request.js'
import { Postponed } from './postponed.js'

/** Unassigned wallets that a network has after its start (decisions 9). */
export const UNASSIGNED_WALLETS = 100
/** From the first sight of a deposit to its confirmation. */
export const CONFIRMATION_DELAY_MS = 1000
/** Deposits of one transaction. */
export const TRANSFERS_MAX = 100

const WALLET_ID_BYTES = 32
const TX_HASH_BYTES = 32

/** A transfer to be simulated: everything of a sighting that the network does not decide itself. */
export type Transfer = Pick<Sighting, 'toAddress' | 'currency' | 'amount' | 'receivedAt'> & {
  /** Null for a new one. */
  readonly txHash: string | null
}

export interface SimulatedNetworkOptions {
  readonly network: Network
  readonly store: Pick<Store, 'deposits' | 'wallets'>
  readonly scheduler: Scheduler
  readonly random: RandomFill
  readonly onError: (error: unknown) => void
}

/**
 * A network inside the process, seen through the port of the real watchers. It has no blocks: a transfer is what
 * somebody asked for, confirmed after a while. A confirmation that a crash prevented is not made up for; it can be
 * asked for by the transaction's hash.
 */
export class SimulatedNetwork implements Watcher {
  readonly network: Network
  private readonly postponed: Postponed
  private report: Report | null = null
  /** The end of the line of transfers whose hash was given: their indexes are handed out one after the other. */
  private lastTurn: Promise<unknown> = Promise.resolve()

  constructor(private readonly options: SimulatedNetworkOptions) {
    this.network = options.network
    this.postponed = new Postponed(options.scheduler, options.onError)
  }

  /** Makes wallets until the store knows `UNASSIGNED_WALLETS` that belong to nobody. */
  async start(report: Report): Promise<void> {
    this.report = report
    const missing = UNASSIGNED_WALLETS - (await this.options.store.wallets.countUnassigned(this.network))
    const events = Array.from({ length: Math.max(missing, 0) }, () => {
      const fact = {
        type: 'wallet.created',
        id: this.randomHex(WALLET_ID_BYTES),
        address: randomAddress(this.network, this.options.random),
        network: this.network,
      } as const
      return { eventId: null, fact }
    })
    for (const outcome of await report(events)) {
      if (outcome.status !== 'applied') throw new Error(`a simulated wallet was not taken: ${outcome.status}`)
    }
  }

  /** Confirms at once what would have been confirmed a little later. */
  stop(): Promise<void> {
    return this.postponed.close()
  }

  /**
   * Makes a transfer seen as `kind`, or as pending at once and confirmed after `CONFIRMATION_DELAY_MS` when null. The
   * same transfer in the same transaction again is the same deposit; another one is the transaction's next.
   */
  transfer(transfer: Transfer, kind: DepositStatus | null): Promise<Outcome<Deposit>> {
    const { txHash } = transfer
    if (txHash === null) {
      return this.see({ ...transfer, txHash: this.randomTxHash(), network: this.network, index: 0 }, kind)
    }
    const turn = this.lastTurn.then(async () => {
      const index = await this.indexOf(txHash, transfer)
      if (index === null) return refuseDeposit('txHash', `a transaction has at most ${TRANSFERS_MAX} transfers`)
      return this.see({ ...transfer, txHash, network: this.network, index }, kind)
    })
    // The next one is not held up by a failure, which is told to the one who asked.
    this.lastTurn = turn.catch(() => undefined)
    return turn
  }

  /** Confirms or drops every deposit of a transaction. Answers with them; empty when there is none. */
  async settle(txHash: string, report: 'confirmed' | 'dropped'): Promise<readonly Deposit[]> {
    const deposits = await this.depositsOf(txHash)
    for (const deposit of deposits) this.postponed.cancel(keyOf(deposit))
    for (const deposit of deposits) {
      const { network, index, toAddress, currency, amount, receivedAt } = deposit
      await this.tell(report, { network, txHash, index, toAddress, currency, amount, receivedAt })
    }
    return this.depositsOf(txHash)
  }

  private async see(sighting: Sighting, kind: DepositStatus | null): Promise<Outcome<Deposit>> {
    const outcome = await this.tell(kind ?? 'pending', sighting)
    if (outcome.status === 'rejected') return refuseDeposit(blamed(outcome.error), outcome.error)
    const deposit = await this.options.store.deposits.find(this.network, sighting.txHash, sighting.index)
    if (deposit === undefined) throw new Error('a deposit that was taken is not there')
    if (kind === null && deposit.kind === 'pending') {
      this.postponed.add(keyOf(deposit), CONFIRMATION_DELAY_MS, () => this.confirmPending(sighting))
    }
    return succeed(deposit)
  }

  /** Not what was dropped meanwhile: only a request brings that back. */
  private async confirmPending(sighting: Sighting): Promise<void> {
    const deposit = await this.options.store.deposits.find(this.network, sighting.txHash, sighting.index)
    if (deposit?.kind === 'pending') await this.tell('confirmed', sighting)
  }

  private async tell(report: DepositReport, sighting: Sighting) {
    if (this.report === null) throw new Error('the simulated network has not been started')
    const [outcome] = await this.report([{ eventId: null, fact: { type: 'deposit', report, sighting } }])
    if (outcome === undefined) throw new Error('the report was not answered')
    return outcome
  }

  /** The index of this transfer in its transaction, or null when that is full. */
  private async indexOf(txHash: string, transfer: Transfer): Promise<number | null> {
    const deposits = await this.depositsOf(txHash)
    const known = deposits.find(
      ({ toAddress, currency, amount }) =>
        toAddress === transfer.toAddress && currency === transfer.currency && amount === transfer.amount,
    )
    if (known !== undefined) return known.index
    return deposits.length < TRANSFERS_MAX ? deposits.length : null
  }

  /** Simulated transactions number their transfers from 0 without gaps. */
  private async depositsOf(txHash: string): Promise<readonly Deposit[]> {
    const deposits: Deposit[] = []
    while (deposits.length < TRANSFERS_MAX) {
      const deposit = await this.options.store.deposits.find(this.network, txHash, deposits.length)
      if (deposit === undefined) break
      deposits.push(deposit)
    }
    return deposits
  }

  /** As the network's explorers write it. */
  private randomTxHash(): string {
    const digits = this.randomHex(TX_HASH_BYTES)
    return this.network === 'SEP' ? `0x${digits}` : digits
  }

  private randomHex(byteLength: number): string {
    const bytes = Buffer.alloc(byteLength)
    this.options.random(bytes)
    return bytes.toString('hex')
  }
}

function keyOf({ txHash, index }: Pick<Deposit, 'txHash' | 'index'>): string {
  return `${index}:${txHash}`
}

/** The field of the request behind what the store rejected: its reasons begin with the name of the sighting's member. */
function blamed(reason: string): string {
  const [member = ''] = reason.split(' ', 1)
  return member === 'toAddress' ? 'address' : member
}
