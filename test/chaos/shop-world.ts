import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../simulation/random.js'
import type { LeapingService } from './leaping-service.js'
import { ATOMS_PER_UNIT, atomsOf, roundedUp } from './shop-amounts.js'
import type { Mined, Payment, ShopChain } from './shop-chains.js'
import { identityOf, type ShopClient, Stuck } from './shop-client.js'
import { ShopFeed } from './shop-feed.js'
import type { Coin, ModelDeposit, ModelInvoice, ModelWallet, ShopModel } from './shop-model.js'
import type { ShopReceiver } from './shop-receiver.js'

const MS_PER_SECOND = 1000
/** Longer than a network waits between two polls. */
const POLLED_MS = 1100
/** Between what a customer does and the next block. */
const BLOCK_AFTER_MS = 5000
const CONFIRMED_AFTER_MS = 60_000
/** Real time. */
const LOOK_MS = 5
const LOOKS_A_LEAP = 8
const STUCK_MS = 30_000

/** An order as a shop places it. */
export interface Order {
  readonly owner: string
  readonly walletIds: readonly string[]
  readonly coin: Coin
  readonly amount: string
  readonly reference: string | null
  readonly orderNumber: string | null
  readonly callbackUrl: string | null
  readonly returnUrl: string
  /** Never shown to payers. */
  readonly metadata: { readonly cart: string }
  readonly expiresInSeconds: number
}

/** The service, its chains and its receivers, and beside them the model, which is told of everything that is done to them. */
export class ShopWorld {
  readonly violations = new Set<string>()
  readonly feed: ShopFeed
  kills = 0
  reorganisations = 0
  /** Invoices that were accepted by themselves. */
  accepted = 0
  /** Default URLs by owner. */
  readonly callbacks = new Map<string, string>()
  private unconfirmed: { readonly deposit: ModelDeposit; readonly chain: ShopChain }[] = []
  private keys = 0

  constructor(
    readonly service: LeapingService,
    readonly client: ShopClient,
    readonly model: ShopModel,
    readonly chains: readonly ShopChain[],
    readonly receiver: ShopReceiver,
    readonly random: Random,
    owners: readonly string[],
  ) {
    this.feed = new ShopFeed(owners, model, client, (violation) => this.violate(violation))
  }

  violate(violation: string): void {
    this.violations.add(violation)
  }

  now(): number {
    return this.service.now()
  }

  /** Lets time pass, in which invoices expire. */
  async leap(ms: number): Promise<void> {
    await this.service.leap(ms)
    this.model.passTo(this.now())
  }

  async assign(id: string, owner: string, network: string, address: string): Promise<void> {
    const known = this.model.wallets.get(id)
    if (known === undefined) this.model.wallets.set(id, { id, network, address, owner })
    else known.owner = owner
    const wallet = { id, address, network }
    const event = { id: `${id} to ${owner}`, type: 'wallet.assigned', wallet, owner: identityOf(owner) }
    await this.client.push([event])
  }

  /** Null when the amount is in use. `isKilled`: the service is killed while it is asked. */
  async order(order: Order, isKilled = false): Promise<ModelInvoice | null> {
    const { model } = this
    const { owner, walletIds, coin, amount, reference, orderNumber, callbackUrl, expiresInSeconds } = order
    const { returnUrl, metadata } = order
    model.passTo(this.now())
    const atoms = atomsOf(amount)
    const isTaken = model.isTaken(owner, walletIds, coin, atoms)
    this.keys += 1
    const body = { name: 'Order', ...order, owner: identityOf(owner), currency: coin, coin: undefined }
    const headers = { 'Idempotency-Key': `key-${this.keys}` }
    const from = this.now()
    const asked = this.client.call(owner, 'POST /api/invoices', { body, headers })
    if (isKilled) await this.kill()
    const { status, json } = await asked
    if (isTaken !== (status === 409 && json.code === 'amount_in_use')) {
      this.violate(
        `an order of ${amount} ${coin} on ${walletIds}, ${isTaken ? 'which is taken' : 'which is free'}: ${status}`,
      )
    }
    if (status !== 201) return null
    const { json: shown } = await this.client.call(owner, 'GET /api/invoices/:id', { id: json.id })
    const { created_at: createdAt, expires_at: expiresAt } = shown
    assert.ok(from <= createdAt && createdAt <= this.now(), `created at ${createdAt}`)
    assert.equal(expiresAt, createdAt + expiresInSeconds * MS_PER_SECOND)
    const invoice: ModelInvoice = {
      id: json.id,
      ...{ owner, walletIds, coin, reference, orderNumber, createdAt, expiresAt },
      ...{ returnUrl, cart: metadata.cart },
      asked: amount,
      amount: atoms,
      payable: roundedUp(atoms),
      callback: callbackUrl ?? this.callbacks.get(owner) ?? null,
      voidedAt: null,
      acceptedAt: null,
      hasOutlived: false,
    }
    model.create(invoice)
    return invoice
  }

  /** The shop voids an invoice, or accepts it by hand. */
  async finish(invoice: ModelInvoice, act: 'void' | 'accept'): Promise<void> {
    const from = this.now()
    const { owner } = invoice
    const before = { voidedAt: invoice.voidedAt, acceptedAt: invoice.acceptedAt }
    const isDone = act === 'void' ? this.model.void(invoice, from) : this.model.accept(invoice, from)
    const said = { id: invoice.id, body: { owner: identityOf(owner) } }
    const { status, json } = await this.client.call(owner, `POST /api/invoices/:id/${act}`, said)
    if ((status === 200) !== isDone) {
      this.violate(
        `${act} of ${invoice.id} is ${isDone ? 'possible' : 'impossible'}, and was answered ${status} ${json.code}`,
      )
    }
    if (status !== 200) return
    // Their times are the service's.
    const isIn = (at: number | null) => at !== null && from <= at && at <= this.now()
    if (before.voidedAt === null && isIn(json.voided_at)) invoice.voidedAt = json.voided_at
    if (before.acceptedAt === null && isIn(json.accepted_at)) invoice.acceptedAt = json.accepted_at
  }

  /** Payments come in one block, and are seen before they are confirmed. `trouble`: what happens meanwhile. */
  async pay(
    chain: ShopChain,
    payments: readonly Payment[],
    trouble: 'none' | 'kill' | 'reorganisation',
  ): Promise<void> {
    await this.leap(BLOCK_AFTER_MS)
    const mined = await chain.mine(this.now(), payments)
    if (trouble === 'kill') await this.kill()
    const deposits = mined.map((one) => this.see(chain, one))
    await this.sync()
    if (trouble === 'reorganisation') await this.reorganise(chain, mined, deposits)
  }

  /** Payments come, and are confirmed, while the service is down for so long. */
  async payWhileDown(chain: ShopChain, payments: readonly Payment[], downMs: number): Promise<void> {
    await this.service.end('SIGKILL')
    this.kills += 1
    await this.service.leap(BLOCK_AFTER_MS)
    const mined = await chain.mine(this.now(), payments)
    await this.service.leap(CONFIRMED_AFTER_MS)
    await chain.confirm(this.now())
    await this.service.leap(downMs)
    const fromMs = this.now()
    await this.service.start()
    this.model.passTo(fromMs)
    // What was pending before is confirmed first, and each of the new ones as soon as it is seen.
    this.confirmModel(chain, fromMs)
    for (const one of mined) {
      const deposit = this.see(chain, one)
      this.confirmModel(chain, fromMs)
      this.model.tellTogether(deposit)
    }
    await this.sync()
  }

  /** Everything so far is confirmed. */
  async confirm(chain: ShopChain, isKilled = false): Promise<void> {
    if (!this.hasUnconfirmed(chain)) return
    await this.leap(CONFIRMED_AFTER_MS)
    const fromMs = this.now()
    await chain.confirm(fromMs)
    if (isKilled) await this.kill()
    this.confirmModel(chain, fromMs)
    await this.sync()
  }

  hasUnconfirmed(chain: ShopChain): boolean {
    return this.unconfirmed.some((one) => one.chain === chain)
  }

  async kill(): Promise<void> {
    this.kills += 1
    await this.service.end('SIGKILL')
    await this.service.start()
  }

  /** Until the service has told all that it must tell by now, and nothing else. */
  async sync(): Promise<void> {
    const { feed } = this
    const startedMs = Date.now()
    for (let looks = 0; ; looks += 1) {
      if (looks % LOOKS_A_LEAP === 0) await this.leap(POLLED_MS)
      await feed.read(looks === 0 ? undefined : new Set(feed.missing().values()))
      const missing = feed.missing()
      const surplus = feed.surplus()
      for (const event of surplus.keys()) this.violate(`there is an event that should not be: ${event}`)
      if (missing.size === 0 && surplus.size === 0) return this.learnAcceptances()
      if (surplus.size > 0 || Date.now() - startedMs > STUCK_MS) {
        for (const event of missing.keys()) this.violate(`there is no event: ${event}`)
        throw new Stuck('the service did not tell what it must')
      }
      await sleep(LOOK_MS)
    }
  }

  /** When invoices were accepted by themselves is the service's time. */
  private async learnAcceptances(): Promise<void> {
    for (const invoice of this.model.acceptedByItself.splice(0)) {
      this.accepted += 1
      const { json } = await this.client.call(invoice.owner, 'GET /api/invoices/:id', { id: invoice.id })
      const { accepted_at: at } = json
      if (at === null || at < (invoice.acceptedAt ?? 0) || at > this.now()) {
        this.violate(`${invoice.id} was accepted by itself, and says ${at}`)
      }
      invoice.acceptedAt = at
    }
  }

  private see(chain: ShopChain, { network, txHash, toAddress, coin, units, receivedAt }: Mined): ModelDeposit {
    const wallet = this.walletAt(network, toAddress)
    const amount = units * ATOMS_PER_UNIT
    const deposit = this.model.see({ network, txHash, wallet, coin, amount, receivedAt })
    this.unconfirmed.push({ deposit, chain })
    return deposit
  }

  /** What the service finds confirmed since a time. */
  private confirmModel(chain: ShopChain, fromMs: number): void {
    for (const { deposit } of this.unconfirmed.filter((one) => one.chain === chain)) {
      this.model.confirm(deposit, fromMs)
    }
    this.unconfirmed = this.unconfirmed.filter((one) => one.chain !== chain)
  }

  /** The block is replaced. Some of its payments come again in a later one, some never. */
  private async reorganise(
    chain: ShopChain,
    mined: readonly Mined[],
    deposits: readonly ModelDeposit[],
  ): Promise<void> {
    this.reorganisations += 1
    await this.leap(BLOCK_AFTER_MS)
    await chain.replace(this.now())
    this.unconfirmed = this.unconfirmed.filter(({ deposit }) => !deposits.includes(deposit))
    for (const deposit of deposits) this.model.drop(deposit)
    await this.sync()
    await this.leap(BLOCK_AFTER_MS)
    const back = mined.filter(() => this.random.chance(4 / 5)).map(({ txHash }) => txHash)
    const again = await chain.mineAgain(this.now(), back)
    for (const one of again) this.see(chain, one)
    await this.sync()
  }

  private walletAt(network: string, address: string): ModelWallet {
    for (const wallet of this.model.wallets.values()) {
      if (wallet.network === network && wallet.address === address) return wallet
    }
    throw new Error(`nobody has ${address}`)
  }
}
