import type { Page } from 'playwright-core'
import type { EmulatedTronChain } from '../support/tron-chain.js'
import { tokenTransfer, trxTransfer } from '../support/tron-transactions.js'

/** What the wallet was asked to sign. */
export interface TronTransfer {
  /** The contract of a token; null for the coin. */
  readonly token: string | null
  readonly to: string
  readonly raw: string
  readonly from: string
}

interface Call {
  readonly method: string
  readonly args: readonly unknown[]
}

/** The parts of TronLink that a page meets: its provider, and a tronWeb whose answers the test gives. */
const INJECTED = `(() => {
  const ask = async (method, ...args) => {
    const { error, result } = await window.askTronLink({ method, args })
    if (error !== undefined) throw error
    return result
  }
  const on = (...names) => Object.fromEntries(names.map((name) => [name, (...args) => ask(name, ...args)]))
  const tronWeb = {
    defaultAddress: { base58: false },
    trx: on('getBlock', 'getBalance', 'sign', 'sendRawTransaction', 'getUnconfirmedTransactionInfo'),
    transactionBuilder: on('sendTrx', 'triggerSmartContract', 'triggerConstantContract'),
  }
  window.tronLink = {
    async request({ method }) {
      const answer = await ask(method)
      if (answer.code === 200) {
        tronWeb.defaultAddress.base58 = answer.address
        window.tronLink.tronWeb = tronWeb
      }
      return answer
    },
  }
  window.tron = { request: ({ method, params }) => ask(method, ...params) }
})()`

export interface TronLinkOptions {
  readonly chain: EmulatedTronChain
  /** Of the account that it signs for, and of accounts by address. */
  readonly address: string
  readonly accountOf: (address: string) => string
  readonly tokenAccount: string
}

/** TronLink on an emulated chain: what is signed and sent is in its next block. */
export class TestTronLink {
  readonly signed: TronTransfer[] = []
  /** What it answers in place of the truth. */
  readonly lies = new Map<string, () => unknown>()
  isOnChain = false
  balance = 10n ** 9n

  constructor(private readonly options: TronLinkOptions) {}

  async install(page: Page): Promise<void> {
    await page.exposeFunction('askTronLink', async (call: Call) => {
      const lie = this.lies.get(call.method)
      try {
        return { result: lie === undefined ? this.answer(call) : lie() }
      } catch (error) {
        return { error }
      }
    })
    await page.addInitScript(INJECTED)
  }

  private answer({ method, args }: Call): unknown {
    const { chain, address, accountOf, tokenAccount } = this.options
    switch (method) {
      case 'tron_requestAccounts':
        return { code: 200, address }
      case 'wallet_switchEthereumChain':
        this.isOnChain = true
        return null
      case 'getBlock':
        return { blockID: this.isOnChain ? chain.blocks[0]?.hash : '0'.repeat(64) }
      case 'getBalance':
        return Number(this.balance)
      case 'triggerConstantContract':
        return { constant_result: [this.balance.toString(16).padStart(64, '0')] }
      case 'sendTrx':
        return { token: null, to: args[0], raw: String(args[1]), from: args[2] }
      case 'triggerSmartContract': {
        const [to, raw] = (args[3] as readonly { value: string }[]).map(({ value }) => value)
        return { result: { result: true }, transaction: { token: args[0], to, raw, from: args[4] } }
      }
      case 'sign':
        this.signed.push(args[0] as TronTransfer)
        return args[0]
      case 'sendRawTransaction': {
        const { token, to, raw } = args[0] as TronTransfer
        const account = accountOf(to)
        const made =
          token === null ? trxTransfer(account, BigInt(raw)) : tokenTransfer(tokenAccount, account, BigInt(raw))
        // Blocks are as old as their number says, and a payment is younger than its invoice.
        while (chain.newestMs < Date.now()) chain.produceEmpty(1)
        chain.produce(made)
        return { result: true, txid: made.id }
      }
      default:
        return {}
    }
  }
}
