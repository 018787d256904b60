import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Answered, ask, pushEvents } from '../chaos/http-client.js'
import type { Anvil } from '../support/anvil.js'
import { EthereumChain } from '../support/ethereum-chain.js'
import type { EvmNode } from '../support/evm-node.js'
import { type Fault, FaultyProxy } from '../support/faulty-proxy.js'
import { openReceiver, type Receiver } from '../support/receiver.js'

export const CONFIRMATIONS = 3
export const OWNER = 'alice'
export const WALLET = { id: 'wallet-1', address: '0xaBcd000000000000000000000000000000000001', network: 'SEP' }
const LOOK_PAUSE_MS = 25

/** A chain on a real node behind a proxy, and a receiver of webhooks, for services that watch it. */
export class WatchedChain<Node extends EvmNode = Anvil> {
  private constructor(
    readonly chain: EthereumChain<Node>,
    readonly proxy: FaultyProxy,
    readonly token: string,
    readonly receiver: Receiver,
  ) {}

  /** Ends with the test. */
  static async start(t: TestContext, flags: readonly string[] = []): Promise<WatchedChain> {
    const chain = await EthereumChain.start(flags)
    t.after(() => chain.stop())
    return await WatchedChain.of(t, chain)
  }

  /** The same of a chain that is there, which the test stops. */
  static async of<Node extends EvmNode>(t: TestContext, chain: EthereumChain<Node>): Promise<WatchedChain<Node>> {
    const proxy = await FaultyProxy.start(chain.node.url)
    t.after(() => proxy.close())
    const receiver = await openReceiver()
    t.after(() => receiver.close())
    return new WatchedChain(chain, proxy, await chain.deployToken(), receiver)
  }

  /** Settings of a service that watches it. */
  environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      BILLHOOK_SEP_URLS: this.proxy.url,
      BILLHOOK_SEP_TOKEN: this.token,
      BILLHOOK_SEP_CONFIRMATIONS: String(CONFIRMATIONS),
      BILLHOOK_SEP_POLL_MS: '100',
      ...more,
    }
  }

  /** Makes a service know the wallet, and an invoice on it that tells the receiver; answers the invoice's id. */
  async openInvoice(url: string, amount: string, currency: 'USDT' | 'native' = 'USDT'): Promise<string> {
    const pushed = await pushEvents(url, [
      { id: 'created', type: 'wallet.created', wallet: WALLET },
      { id: 'assigned', type: 'wallet.assigned', wallet: { id: WALLET.id }, owner: OWNER },
    ])
    assert.equal(pushed?.status, 200)
    const invoice = { owner: OWNER, walletIds: [WALLET.id], name: 'Order', amount, currency, reference: currency }
    const body = JSON.stringify({ ...invoice, callbackUrl: `${this.receiver.url}/` })
    const created = await ask('POST', `${url}/api/invoices`, body)
    assert.equal(created?.status, 201, JSON.stringify(created?.json))
    return created.json.id
  }

  /** A transfer of whole units of the token to the wallet, in the next block. */
  pay(amount: bigint): Promise<string> {
    return this.chain.sendCall(this.token, 'transfer(address,uint256)', [WALLET.address, amount * 10n ** 6n])
  }

  /** Status and transaction of each webhook, in order of arrival. */
  told(): readonly string[] {
    return this.receiver.requests.map(({ body }) => {
      const { status, txHash } = JSON.parse(body.toString())
      return `${status} ${txHash}`
    })
  }
}

/** What the API tells of the payment of an invoice. */
export async function paymentOf(url: string, invoiceId: string): Promise<Readonly<Record<string, string>>> {
  const answer: Answered | null = await ask('GET', `${url}/api/invoices/${invoiceId}`)
  return answer?.json?.payment ?? assert.fail('no payment')
}

/** Looks until it is so; the test's own time limit ends it otherwise. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE_MS))
}

/** Nothing of a block can be read but its header. */
export function unreadable(height: number, hash: string): Fault {
  const marks = [`"0x${height.toString(16)}"`, hash]
  return {
    alter: ({ method, params }, end) => {
      const isHeader = method === 'eth_getBlockByNumber' && params[1] === false
      const isAbout = marks.some((mark) => JSON.stringify(params).includes(mark))
      const told = 'result' in end ? JSON.stringify(end.result ?? null) : ''
      // The block behind it names it as its parent, and can be read.
      const isTold = told.includes(`"hash":"${hash}"`) || told.includes(`"blockHash":"${hash}"`)
      if (isHeader || !(isAbout || isTold)) return end
      return { error: { code: -32603, message: 'this block cannot be told' } }
    },
  }
}
