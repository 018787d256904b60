import assert from 'node:assert/strict'
import { type Answered, ask, hashOf, pushEvents } from '../chaos/http-client.js'
import { openReceiver, type Receiver } from '../support/receiver.js'
import { signedHeaders } from '../support/service-fixture.js'
import { type TestKey, testKey } from '../support/signing.js'
import { validAddress } from '../support/valid-address.js'

/*
 * What merchants, payers and the gateway did with a service of an earlier version, through the API that every version has.
 */

/** Each has lists. What belongs to `dave` is left in the middle and differs after a restart. */
export const OWNERS = ['alice', 'bob', 'carol'] as const
export const UNFINISHED_OWNER = 'dave'

/** Keys by how they are when the data is opened later. */
export const KEYS = {
  active: testKey('upgrade: active'),
  expired: testKey('upgrade: expired'),
  revoked: testKey('upgrade: revoked'),
  bobs: testKey('upgrade: bob'),
} as const

/** A port at which nobody listens (RFC 863). */
const REFUSING_URL = 'http://127.0.0.1:9/'
const SETTLED: readonly string[] = ['delivered', 'failed']
const MANY = 120
const LOOK_PAUSE_MS = 50
/** So short that the key has expired when the data is opened later. */
const SHORT_DAYS = 0.00001

type Deposit = Readonly<Record<string, unknown>> & { readonly wallet: string; readonly name: string }
type Report = 'pending' | 'confirmed' | 'dropped'

const NETWORK_OF = {
  w1: 'SEP',
  w2: 'TRX-NILE',
  w3: 'SEP',
  w4: 'TRX-NILE',
  late: 'SEP',
  free: 'SEP',
  spare: 'TRX-NILE',
  d1: 'SEP',
} as const
type WalletId = keyof typeof NETWORK_OF

/** A wallet of the past, as the gateway tells of it. */
export function walletOf(id: string) {
  const network = NETWORK_OF[id as WalletId]
  return { id, address: validAddress(network, `upgrade ${id}`), network }
}

/** Plays the past against a service that keeps it. */
export class History {
  private events = 0

  private constructor(
    private readonly url: string,
    private readonly receiver: Receiver,
    /** Begins the ids of events. */
    private readonly name: string,
  ) {}

  /** Everything that has come to an end. */
  static async play(url: string): Promise<void> {
    const receiver = await openReceiver((request, response) => {
      response.statusCode = request.path === '/fails' ? 500 : 200
      response.end()
    })
    try {
      const history = new History(url, receiver, 'past')
      await history.wallets()
      await history.keys()
      await history.webhooks()
      await history.invoicesAndDeposits()
      await history.manyInvoices()
      await history.settled()
    } finally {
      await receiver.close()
    }
  }

  /** An attempt that has no answer yet. Resolves when the receiver has the request. */
  static async begin(url: string): Promise<Receiver> {
    const receiver = await openReceiver(() => {})
    const history = new History(url, receiver, 'last')
    await history.assign(UNFINISHED_OWNER, 'd1')
    await history.invoice({ owner: UNFINISHED_OWNER, walletIds: ['d1'], amount: '4', callbackUrl: `${receiver.url}/` })
    await history.tell('pending', { wallet: 'd1', name: 'never answered', amount: '4000000' })
    await receiver.received(1)
    return receiver
  }

  private async wallets(): Promise<void> {
    await this.assign('alice', 'w1', 'w2', 'w3')
    await this.assign('bob', 'w4')
    await this.push(...['free', 'spare'].map((id) => ({ type: 'wallet.created', wallet: walletOf(id) })))
    await this.push({ type: 'identity.onboarded', identity: 'carol' })
    // A deposit before its wallet is known, and an event that is rejected.
    await this.tell('confirmed', { wallet: 'late', name: 'early', amount: '7000000' })
    await this.assign('carol', 'late')
    await this.push({ type: 'wallet.created', wallet: { ...walletOf('w1'), id: 'w9' } })
    assert.equal((await this.call('GET', '/api/wallets/claim/niles/trx')).status, 200)
  }

  private async keys(): Promise<void> {
    await this.register('alice', KEYS.active, {})
    await this.register('alice', KEYS.expired, { ttlDays: SHORT_DAYS })
    const revoked = await this.register('alice', KEYS.revoked, { label: 'lost laptop' })
    const answer = await this.call('POST', `/api/api-keys/${revoked.json.id}/revoke`, { owner: 'alice' })
    assert.equal(answer.status, 200)
    await this.register('bob', KEYS.bobs, {})
  }

  private async webhooks(): Promise<void> {
    await this.call('PUT', '/api/users/alice/webhook', { callbackUrl: `${this.receiver.url}/ok` })
    await this.call('PUT', '/api/users/bob/webhook', { callbackUrl: `${this.receiver.url}/fails` })
    await this.call('PUT', '/api/users/carol/webhook', { callbackUrl: REFUSING_URL })
    await this.call('DELETE', '/api/users/carol/webhook')
  }

  private async invoicesAndDeposits(): Promise<void> {
    const confirmed = (deposit: Deposit) => this.tell('confirmed', deposit)
    await this.signedInvoice({ owner: 'alice', walletIds: ['w1'], amount: '10', name: 'Paid exactly' })
    await this.tell('pending', { wallet: 'w1', name: 'exact', amount: '10000000' })
    await confirmed({ wallet: 'w1', name: 'exact', amount: '10000000' })

    await this.invoice({ walletIds: ['w2', 'w1'], amount: '2.5', name: 'Overpaid on two wallets' })
    await confirmed({ wallet: 'w2', name: 'half', amount: '1500000' })
    await confirmed({ wallet: 'w1', name: 'and more', amount: '3000000' })

    await this.invoice({ walletIds: ['w1'], amount: '0.000001', name: 'Seen only', callbackUrl: REFUSING_URL })
    await this.tell('pending', { wallet: 'w1', name: 'seen', amount: '1' })

    await this.invoice({ walletIds: ['w2'], amount: '9', name: 'Its deposit was dropped' })
    await confirmed({ wallet: 'w2', name: 'dropped', amount: '9000000' })
    await this.tell('dropped', { wallet: 'w2', name: 'dropped', amount: '9000000' })

    await this.invoice({ walletIds: ['w1'], amount: '0.5', currency: 'native', name: 'Native, in part' })
    await confirmed({ wallet: 'w1', name: 'native', amount: '0.123456789012345678', currency: '#native' })
    await confirmed({ wallet: 'w1', name: 'unknown coin', amount: '5', currency: 'Shells' })

    await this.invoice({ walletIds: ['w3'], amount: '30', name: 'Of a former owner' })
    await this.push({ type: 'wallet.assigned', wallet: { id: 'w3' }, owner: 'bob' })
    await this.invoice({ owner: 'bob', walletIds: ['w3'], amount: '31', name: 'Of the new owner' })
    await confirmed({ wallet: 'w3', name: 'to the new owner', amount: '31000000' })
    await this.invoice({ owner: 'bob', walletIds: ['w4'], amount: '77', name: 'Unpaid', description: 'Größe „M“ 🧾' })
    await this.invoice({ owner: 'carol', walletIds: ['late'], amount: '7', name: 'After the deposit', reference: null })
  }

  /** More than a page of each list. */
  private async manyInvoices(): Promise<void> {
    for (let i = 1; i <= MANY; i += 1) {
      const amount = `${100 + i}`
      await this.invoice({
        walletIds: ['w2'],
        amount,
        name: `Order ${i}`,
        reference: i % 2 === 0 ? `order-${i}` : null,
      })
      if (i % 3 === 0) await this.tell('confirmed', { wallet: 'w2', name: `pays ${i}`, amount: `${amount}000000` })
    }
  }

  /** Waits until every delivery of the owners has its outcome. */
  private async settled(): Promise<void> {
    for (;;) {
      const lists = await Promise.all(OWNERS.map((owner) => this.call('GET', `/api/users/${owner}/webhook/deliveries`)))
      const deliveries: readonly { readonly state: string }[] = lists.flatMap(({ json }) => json)
      if (deliveries.every(({ state }) => SETTLED.includes(state))) return
      await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE_MS))
    }
  }

  private async assign(owner: string, ...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await this.push({ type: 'wallet.created', wallet: walletOf(id) })
      await this.push({ type: 'wallet.assigned', wallet: { id }, owner })
    }
  }

  private async register(owner: string, key: TestKey, more: object): Promise<Answered> {
    const body = { owner, label: 'till', publicKey: key.publicKeyHex, permissions: ['invoices:create'], ...more }
    const answer = await this.call('POST', '/api/api-keys', body)
    assert.equal(answer.status, 201, JSON.stringify(answer.json))
    return answer
  }

  private async signedInvoice(fields: object): Promise<void> {
    const body = JSON.stringify({ currency: 'USDT', reference: 'signed', ...fields })
    const headers = signedHeaders(KEYS.active, body, String(Date.now()))
    const answer = await ask('POST', `${this.url}/api/invoices`, body, headers)
    assert.equal(answer?.status, 201, JSON.stringify(answer?.json))
  }

  private async invoice(fields: object): Promise<void> {
    const reference = `r${this.events}`
    const body = { owner: 'alice', currency: 'USDT', name: 'Order', reference, ...fields }
    const answer = await this.call('POST', '/api/invoices', body)
    assert.equal(answer.status, 201, JSON.stringify(answer.json))
  }

  private async tell(report: Report, { wallet, name, ...more }: Deposit): Promise<void> {
    const { address, network } = walletOf(wallet)
    const deposit = { network, txHash: hashOf(name), toAddress: address, currency: 'Tether', ...more }
    await this.push({ type: `deposit.${report}`, deposit: { receivedAt: Date.now() + 1, ...deposit } })
  }

  private async push(...events: readonly object[]): Promise<void> {
    const numbered = events.map((event) => {
      this.events += 1
      return { id: `${this.name} ${this.events}`, ...event }
    })
    const answer = await pushEvents(this.url, numbered)
    assert.equal(answer?.status, 200, JSON.stringify(answer?.json))
  }

  private async call(method: string, path: string, body?: object): Promise<Answered> {
    const answer = await ask(method, `${this.url}${path}`, body === undefined ? undefined : JSON.stringify(body))
    return answer ?? assert.fail(`no answer to ${method} ${path}`)
  }
}
