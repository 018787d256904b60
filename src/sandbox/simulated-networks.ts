import type { RandomFill } from '../crypto/id.js'
import type { Deposit, DepositReport, DepositStatus, Sighting } from '../domain/deposit.js'
import { type Outcome, refuse, succeed } from '../domain/failure.js'
import type { KnownNetwork, Network } from '../domain/network.js'
import type { ApplyEvents } from '../ledger/gateway-events.js'
import type { Scheduler } from '../scheduler.js'
import type { Store } from '../store/store.js'
import { randomAddress } from './address.js'
import { readTransfer, refuseDeposit, type Transfer, type TransferSources } from './deposit-request.js'
import { Postponed } from './postponed.js'

/** Unassigned wallets of a network after its start (decisions 9). */
export const UNASSIGNED_WALLETS = 100
/** From the first report of a deposit to its confirmation. */
export const CONFIRMATION_DELAY_MS = 1000
/** Deposits in one transaction. */
export const TRANSFERS_MAX = 100

const WALLET_ID_BYTES = 32
const TX_HASH_BYTES = 32

export interface SimulatedNetworksOptions extends TransferSources {
  readonly store: Pick<Store, 'deposits' | 'invoices' | 'wallets'>
  /** The intake: the same way in that a gateway's push takes. */
  readonly apply: ApplyEvents
  readonly scheduler: Scheduler
  readonly random: RandomFill
  readonly onError: (error: unknown) => void
}

/**
 * The networks inside the process. They have no blocks, and report deposits as a gateway does: a transfer is made on
 * request and confirmed after a delay. A confirmation that a crash prevented is not made up for; you can request it by
 * the transaction's hash.
 */
export class SimulatedNetworks {
  private readonly postponed: Postponed
  /** The last of the transfers whose hash was given, which get their indexes one after the other. */
  private lastTurn: Promise<unknown> = Promise.resolve()

  constructor(private readonly options: SimulatedNetworksOptions) {
    this.postponed = new Postponed(options.scheduler, options.onError)
  }

  /** Creates wallets until the store has `UNASSIGNED_WALLETS` without an owner on each network. */
  async start(): Promise<void> {
    for (const network of this.options.networks.all) if (!network.isRetired) await this.createWallets(network)
  }

  /** Runs the confirmations that are still due, at once. */
  stop(): Promise<void> {
    return this.postponed.close()
  }

  /**
   * Makes the deposit described by a request body and returns its record. The same transfer in the same transaction is
   * the same deposit; another one gets the transaction's next index. Refuses with `invalid_sandbox_deposit`.
   */
  async deposit(body: Readonly<Record<string, unknown>>): Promise<Outcome<Deposit>> {
    const read = await readTransfer(body, this.options)
    if (!read.ok) return read
    const { txHash, kind, ...transfer } = read.value
    const { network } = transfer
    if (txHash === null) return this.see({ ...transfer, txHash: this.randomTxHash(network), index: 0 }, kind)
    const turn = this.lastTurn.then(async () => {
      const index = await this.indexOf(txHash, transfer)
      if (index === null) return refuseDeposit('txHash', `a transaction has at most ${TRANSFERS_MAX} transfers`)
      return this.see({ ...transfer, txHash, index }, kind)
    })
    // A failure goes to its caller and does not hold up the next transfer.
    this.lastTurn = turn.catch(() => undefined)
    return turn
  }

  /** Confirms or drops all deposits of a transaction and returns them. Refuses with `deposit_not_found`. */
  async settle(txHash: string, report: 'confirmed' | 'dropped'): Promise<Outcome<readonly Deposit[]>> {
    const find = async () =>
      (await Promise.all(this.options.networks.present.map((network) => this.depositsOf(network, txHash)))).flat()
    const deposits = await find()
    for (const deposit of deposits) this.postponed.cancel(keyOf(deposit))
    for (const deposit of deposits) {
      const { network, index, toAddress, currency, amount, receivedAt } = deposit
      await this.report(report, { network, txHash, index, toAddress, currency, amount, receivedAt })
    }
    return deposits.length === 0 ? refuse('deposit_not_found') : succeed(await find())
  }

  private async createWallets({ id: network, kind }: KnownNetwork): Promise<void> {
    const { store, apply, random } = this.options
    const missing = UNASSIGNED_WALLETS - (await store.wallets.countUnassigned(network))
    const events = Array.from({ length: Math.max(missing, 0) }, () => {
      const id = this.randomHex(WALLET_ID_BYTES)
      const fact = { type: 'wallet.created', id, address: randomAddress(kind, random), network } as const
      return { eventId: null, fact }
    })
    for (const outcome of await apply(events)) {
      if (outcome.status !== 'applied') throw new Error(`a simulated wallet was not taken: ${outcome.status}`)
    }
  }

  /** With `kind` null the transfer is pending at once and confirmed after `CONFIRMATION_DELAY_MS`. */
  private async see(sighting: Sighting, kind: DepositStatus | null): Promise<Outcome<Deposit>> {
    const outcome = await this.report(kind ?? 'pending', sighting)
    if (outcome.status === 'rejected') return refuseDeposit(blamed(outcome.error), outcome.error)
    const deposit = await this.find(sighting)
    if (deposit === undefined) throw new Error('a deposit that was taken is not there')
    if (kind === null && deposit.kind === 'pending') {
      this.postponed.add(keyOf(deposit), CONFIRMATION_DELAY_MS, () => this.confirmPending(sighting))
    }
    return succeed(deposit)
  }

  /** Leaves what was dropped meanwhile: only a request brings that back. */
  private async confirmPending(sighting: Sighting): Promise<void> {
    const deposit = await this.find(sighting)
    if (deposit?.kind === 'pending') await this.report('confirmed', sighting)
  }

  private find({ network, txHash, index }: Pick<Sighting, 'network' | 'txHash' | 'index'>) {
    return this.options.store.deposits.find(network, txHash, index)
  }

  private async report(kind: DepositReport, sighting: Sighting) {
    const [outcome] = await this.options.apply([{ eventId: null, fact: { type: 'deposit', report: kind, sighting } }])
    if (outcome === undefined) throw new Error('the report was not answered')
    return outcome
  }

  /** The transfer's index in its transaction, or null when the transaction is full. */
  private async indexOf(txHash: string, transfer: Omit<Transfer, 'txHash' | 'kind'>): Promise<number | null> {
    const deposits = await this.depositsOf(transfer.network, txHash)
    const known = deposits.find(
      ({ toAddress, currency, amount }) =>
        toAddress === transfer.toAddress && currency === transfer.currency && amount === transfer.amount,
    )
    if (known !== undefined) return known.index
    return deposits.length < TRANSFERS_MAX ? deposits.length : null
  }

  /** Transfers of simulated transactions are numbered from 0 without gaps. */
  private async depositsOf(network: Network, txHash: string): Promise<readonly Deposit[]> {
    const deposits: Deposit[] = []
    while (deposits.length < TRANSFERS_MAX) {
      const deposit = await this.find({ network, txHash, index: deposits.length })
      if (deposit === undefined) break
      deposits.push(deposit)
    }
    return deposits
  }

  /** In the notation of the network's explorers. */
  private randomTxHash(network: Network): string {
    const digits = this.randomHex(TX_HASH_BYTES)
    return this.options.networks.find(network)?.kind === 'evm' ? `0x${digits}` : digits
  }

  private randomHex(byteLength: number): string {
    const bytes = Buffer.alloc(byteLength)
    this.options.random(bytes)
    return bytes.toString('hex')
  }
}

function keyOf({ network, txHash, index }: Deposit): string {
  return `${network}:${index}:${txHash}`
}

/** The request field that the store rejected: its reasons begin with the name of the sighting's field. */
function blamed(reason: string): string {
  const [member = ''] = reason.split(' ', 1)
  return member === 'toAddress' ? 'address' : member
}
