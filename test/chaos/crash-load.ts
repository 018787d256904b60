import assert from 'node:assert/strict'
import { addressOfAccount } from '../../src/networks/tron/address.js'
import type { Random } from '../simulation/random.js'
import { signedHeaders } from '../support/service-fixture.js'
import { testKey } from '../support/signing.js'
import type { Acknowledged, PushedDeposit, PushedEvent } from './acknowledged.js'
import { type Ask, hashOf, pushEvents, ask as sent } from './http-client.js'

export const OWNERS = ['shop-0', 'shop-1', 'shop-2', 'shop-3'] as const
const WALLETS_AT_START = 4
/** Amounts that clients fight for in a round. */
const CONTESTED = 12
/** Deposits are received this long after now, so that they count for every invoice that exists by then. */
const RECEIVED_AHEAD_MS = 1_000

const WEIGHTS = {
  signed: 24,
  contested: 24,
  idempotent: 12,
  deposit: 20,
  settleDeposit: 14,
  register: 2,
  revoke: 2,
  assign: 2,
  claim: 4,
} as const

/** The mixed load of the crash test: many clients, each sending one request after another until the service is gone. */
export class CrashLoad {
  private made = 0
  /** Counts the yeses of this process. */
  answers = 0

  constructor(
    private readonly acknowledged: Acknowledged,
    private readonly random: Random,
    private readonly receiverUrl: string,
    private readonly ask: Ask = sent,
  ) {}

  /** Once, on an empty directory: owners with wallets, each with a key and an invoice that webhooks can be about. */
  async setUp(url: string): Promise<void> {
    for (const owner of OWNERS) {
      for (let n = 0; n < WALLETS_AT_START; n += 1) assert.ok(await this.assign(url, owner))
      assert.ok(await this.register(url, owner))
      for (const wallet of this.acknowledged.walletsOf(owner)) {
        const body = this.invoiceBody(owner, [wallet], `${1_000_000 + this.next()}`, true)
        assert.ok(await this.create(url, owner, body, {}))
      }
    }
  }

  /** One request and what its answer says; false when the service did not answer. A wrong answer is an assertion. */
  async step(url: string, round: number): Promise<boolean> {
    const owner = this.random.pick(OWNERS)
    switch (this.random.weighted(WEIGHTS)) {
      case 'signed':
        return this.createSigned(url, owner)
      case 'contested':
        return this.createContested(url, owner, round)
      case 'idempotent':
        return this.createIdempotent(url, owner)
      case 'deposit':
        return this.deposit(url, owner)
      case 'settleDeposit':
        return this.settleDeposit(url)
      case 'register':
        return this.register(url, owner)
      case 'revoke':
        return this.revoke(url)
      case 'assign':
        return this.assign(url, owner)
      case 'claim':
        return this.claim(url)
    }
  }

  /** The gateway repeats what it had no answer to. */
  async repeatUnanswered(url: string): Promise<void> {
    for (const event of [...this.acknowledged.unanswered.values()]) {
      assert.ok(await this.push(url, [event]), 'the service died while nobody killed it')
    }
  }

  private next(): number {
    this.made += 1
    return this.made
  }

  private invoiceBody(owner: string, walletIds: readonly string[], amount: string, isNotified: boolean): string {
    const notified = isNotified ? { reference: `ref-${this.made}`, callbackUrl: `${this.receiverUrl}/${owner}` } : {}
    return JSON.stringify({ owner, walletIds, name: 'Order', amount, currency: 'USDT', ...notified })
  }

  private anyWallet(owner: string): string {
    const [first = '', ...others] = this.acknowledged.walletsOf(owner)
    return this.random.pick([first, ...others])
  }

  private async create(url: string, owner: string, body: string, headers: Readonly<Record<string, string>>) {
    const answer = await this.ask('POST', `${url}/api/invoices`, body, headers)
    if (answer === null) return false
    assert.equal(answer.status, 201, JSON.stringify(answer.json))
    this.acknowledged.invoicesOf(owner).add(answer.json.id)
    this.answers += 1
    return true
  }

  private createSigned(url: string, owner: string): Promise<boolean> {
    const known = this.acknowledged.keys.find((one) => one.owner === owner && one.state === 'active')
    assert.ok(known, 'the first key of an owner is never revoked')
    const body = this.invoiceBody(owner, [this.anyWallet(owner)], `${this.next()}.000001`, this.random.chance(0.3))
    return this.create(url, owner, body, signedHeaders(known.key, body, String(Date.now())))
  }

  /** Two wallets in any order, and an amount that others want too, written in several ways. */
  private async createContested(url: string, owner: string, round: number): Promise<boolean> {
    const wallets = [this.anyWallet(owner), this.anyWallet(owner)]
    const zeros = '0'.repeat(this.random.below(4))
    const body = this.invoiceBody(owner, wallets, `${round}.5${this.random.below(CONTESTED)}1${zeros}`, false)
    const answer = await this.ask('POST', `${url}/api/invoices`, body)
    if (answer === null) return false
    if (answer.status === 201) this.acknowledged.invoicesOf(owner).add(answer.json.id)
    else assert.equal(answer.json.code, 'amount_in_use', JSON.stringify(answer.json))
    this.answers += 1
    return true
  }

  /** A new creation under an idempotency key, or the repetition of one that may still wait for its answer. */
  private async createIdempotent(url: string, owner: string): Promise<boolean> {
    const { idempotent } = this.acknowledged
    const repeated = this.random.chance(0.5) ? idempotent[this.random.below(idempotent.length)] : undefined
    let creation = repeated
    if (creation === undefined) {
      const body = this.invoiceBody(owner, [this.anyWallet(owner)], `${this.next()}.000002`, false)
      creation = { key: `key-${this.made}`, body, id: null }
      idempotent.push(creation)
    }
    return this.repeat(url, creation)
  }

  /** Sends a creation under its key; its id is the one that was answered first. */
  async repeat(url: string, creation: Acknowledged['idempotent'][number]): Promise<boolean> {
    const answer = await this.ask('POST', `${url}/api/invoices`, creation.body, { 'Idempotency-Key': creation.key })
    if (answer === null) return false
    this.answers += 1
    if (answer.status === 409 && answer.json.code === 'idempotency_in_progress') return true
    assert.equal(answer.status, 201, JSON.stringify(answer.json))
    const { id } = answer.json
    if (creation.id !== null) assert.equal(id, creation.id, `the idempotency key ${creation.key} made two invoices`)
    creation.id = id
    this.acknowledged.invoicesOf(JSON.parse(creation.body).owner).add(id)
    return true
  }

  private async deposit(url: string, owner: string): Promise<boolean> {
    const n = this.next()
    const deposit: PushedDeposit = {
      txHash: hashOf(`deposit ${n}`),
      // Only these are sure to have an invoice that a webhook can be about.
      wallet: this.acknowledged.walletsOf(owner)[this.random.below(WALLETS_AT_START)] ?? '',
      receivedAt: Date.now() + RECEIVED_AHEAD_MS,
      amount: String(n),
      acknowledged: 'nothing',
    }
    this.acknowledged.deposits.push(deposit)
    return this.tell(url, deposit, 'pending')
  }

  private async settleDeposit(url: string): Promise<boolean> {
    const { deposits } = this.acknowledged
    const deposit = deposits.findLast(({ acknowledged }) => acknowledged === 'pending')
    if (deposit === undefined) return true
    // Before the answer, so that no other client settles it too.
    deposit.acknowledged = 'settling'
    return this.tell(url, deposit, this.random.chance(0.2) ? 'dropped' : 'confirmed')
  }

  private tell(url: string, deposit: PushedDeposit, report: 'pending' | 'confirmed' | 'dropped'): Promise<boolean> {
    const { txHash, wallet, receivedAt, amount } = deposit
    return this.push(url, [
      {
        id: `${report} ${txHash}`,
        type: `deposit.${report}`,
        deposit: { network: 'SEP', txHash, toAddress: addressOf(wallet), currency: 'Tether', amount, receivedAt },
      },
    ])
  }

  private async assign(url: string, owner: string): Promise<boolean> {
    const id = `wallet-${this.next()}`
    const wallet = { id, address: addressOf(id), network: 'SEP' }
    return this.push(url, [
      { id: `created ${id}`, type: 'wallet.created', wallet },
      { id: `assigned ${id}`, type: 'wallet.assigned', wallet: { id }, owner },
    ])
  }

  /** Puts a wallet into the pool, then takes any out of it. */
  private async claim(url: string): Promise<boolean> {
    const id = `free-${this.next()}`
    const wallet = { id, address: tronAddressOf(id), network: 'TRX-NILE' }
    if (!(await this.push(url, [{ id: `created ${id}`, type: 'wallet.created', wallet }]))) return false
    const answer = await this.ask('GET', `${url}/api/wallets/claim/niles/trx`)
    if (answer === null) return false
    if (answer.status === 503) return true
    assert.equal(answer.status, 200, JSON.stringify(answer.json))
    assert.ok(!this.acknowledged.claimed.has(answer.json.id), `wallet ${answer.json.id} was handed out twice`)
    this.acknowledged.claimed.add(answer.json.id)
    this.answers += 1
    return true
  }

  private async register(url: string, owner: string): Promise<boolean> {
    const key = testKey(`crash ${this.next()}`)
    const body = { owner, label: 'crash', publicKey: key.publicKeyHex, permissions: ['invoices:create'] }
    const answer = await this.ask('POST', `${url}/api/api-keys`, JSON.stringify(body))
    if (answer === null) return false
    if (answer.json.code === 'too_many_keys') return true
    assert.equal(answer.status, 201, JSON.stringify(answer.json))
    this.acknowledged.keys.push({ owner, key, id: answer.json.id, state: 'active' })
    this.answers += 1
    return true
  }

  /** Never the first key of an owner, which signs. */
  private async revoke(url: string): Promise<boolean> {
    const known = this.acknowledged.keys.slice(OWNERS.length).find(({ state }) => state === 'active')
    if (known === undefined) return true
    known.state = 'revoking'
    const body = JSON.stringify({ owner: known.owner })
    const answer = await this.ask('POST', `${url}/api/api-keys/${known.id}/revoke`, body)
    if (answer === null) return false
    assert.equal(answer.status, 200, JSON.stringify(answer.json))
    known.state = 'revoked'
    this.answers += 1
    return true
  }

  private async push(url: string, events: readonly PushedEvent[]): Promise<boolean> {
    for (const event of events) this.acknowledged.unanswered.set(event.id, event)
    const answer = await pushEvents(url, events, this.ask)
    if (answer === null) return false
    assert.equal(answer.status, 200, JSON.stringify(answer.json))
    for (const [i, event] of events.entries()) {
      assert.notEqual(answer.json.results[i].status, 'rejected', JSON.stringify(answer.json))
      this.acknowledged.unanswered.delete(event.id)
      this.acknowledged.events.push(event)
      this.remember(event)
    }
    this.answers += 1
    return true
  }

  private remember(event: PushedEvent): void {
    if (event.type === 'wallet.assigned') {
      const { owner, id } = event as PushedEvent & { readonly owner: string }
      this.acknowledged.walletsOf(owner).push(id.slice('assigned '.length))
      return
    }
    const [report, txHash] = event.id.split(' ')
    if (report !== 'pending' && report !== 'confirmed' && report !== 'dropped') return
    const deposit = this.acknowledged.deposits.findLast((one) => one.txHash === txHash)
    assert.ok(deposit)
    deposit.acknowledged = report
  }
}

/** An address on Ethereum, from a wallet's id. */
function addressOf(wallet: string): string {
  return hashOf(wallet).slice(0, 42)
}

/** An address on TRON, from a wallet's id. */
function tronAddressOf(wallet: string): string {
  return addressOfAccount(addressOf(wallet).slice(2))
}
