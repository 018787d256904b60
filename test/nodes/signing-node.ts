import assert from 'node:assert/strict'
import { askNode, type EvmNode, type TransactionRequest } from '../support/evm-node.js'
import { developmentAccounts, signTransaction, type TransactionType } from '../support/evm-transaction.js'

/** What only the implementation knows of how its chain is moved. */
export interface Driver {
  /** Mines one block of the transactions that wait, of which there are so many. */
  mine(waiting: number): Promise<void>
  /** Makes the block of this height the newest one: what is mined next replaces the others. */
  rewind(height: number): Promise<void>
  stop(): Promise<void>
}

/** A node of another implementation than anvil. The tests sign its transactions, for not every node does. */
export class SigningNode implements EvmNode {
  private chainId: Promise<number> | null = null
  /** How many transactions wait for the next block, and the sender of each that was signed since the last one. */
  private waiting = 0
  private senders: string[] = []
  /** Every transaction that was signed, by its hash. */
  private readonly signed = new Map<string, string>()

  constructor(
    readonly url: string,
    private readonly driver: Driver,
  ) {}

  call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return askNode(this.url, method, params)
  }

  async accounts(): Promise<readonly string[]> {
    return developmentAccounts().map(({ address }) => address)
  }

  async submit(request: TransactionRequest): Promise<string> {
    const { from, to = null, value, gas, gasPrice, data, type = '0x0' } = request
    const account = developmentAccounts().find(({ address }) => address === from) ?? assert.fail(`no account ${from}`)
    this.chainId ??= this.call('eth_chainId').then(Number)
    const [chainId, included] = await Promise.all([
      this.chainId,
      this.call('eth_getTransactionCount', from, 'latest').then(Number),
    ])
    const behind = this.senders.filter((sender) => sender === from).length
    const raw = await signTransaction(
      {
        type: typeOf(type),
        chainId,
        nonce: included + behind,
        gasPrice: BigInt(gasPrice),
        gas: BigInt(gas),
        to,
        value: BigInt(value),
        data,
      },
      account,
    )
    const hash = (await this.call('eth_sendRawTransaction', raw)) as string
    this.senders.push(from)
    this.waiting += 1
    this.signed.set(hash, raw)
    return hash
  }

  async mine(blocks: number): Promise<void> {
    for (let n = 0; n < blocks; n += 1) {
      const { waiting } = this
      this.waiting = 0
      this.senders = []
      await this.driver.mine(waiting)
    }
  }

  async replace(blocks: number, included: readonly (readonly [hash: string, place: number])[]): Promise<void> {
    assert.equal(this.waiting, 0, 'a transaction waits')
    const height = Number(await this.call('eth_blockNumber'))
    await this.driver.rewind(height - blocks)
    for (let place = 0; place < blocks; place += 1) {
      for (const [hash] of included.filter((each) => each[1] === place)) {
        await this.call('eth_sendRawTransaction', this.signed.get(hash) ?? assert.fail(`not submitted here: ${hash}`))
        this.waiting += 1
      }
      await this.mine(1)
    }
  }

  stop(): Promise<void> {
    return this.driver.stop()
  }
}

function typeOf(hex: string): TransactionType {
  const type = Number(hex)
  assert.ok(type === 0 || type === 1 || type === 2, `no transaction of type ${type} is signed here`)
  return type
}
