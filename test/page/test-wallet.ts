import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { EvmNode } from '../support/evm-node.js'
import { type EvmAccount, signTransaction } from '../support/evm-transaction.js'

const NOTHING = `0x${'0'.repeat(64)}`
const GAS = 200_000n
const GAS_PRICE = 2_000_000_000n

/** The first networks of its list; a wallet is on one of them when it is new. */
const MAINNET = 1
const SEPOLIA = 11155111

export interface WalletRequest {
  readonly method: string
  readonly params: readonly unknown[]
}

interface TransferRequest {
  readonly chainId: string
  readonly from: string
  readonly to: string
  readonly value: string
  readonly data: string
}

/** An error as wallets report it (EIP-1193). */
export class WalletError {
  constructor(
    readonly code: number,
    readonly message: string,
  ) {}
}

/** In the page: announces a provider (EIP-6963), or is at `window.ethereum`, and passes its requests on to the test. */
function injected(isAnnounced: boolean): string {
  return `(() => {
    const provider = {
      async request({ method, params = [] }) {
        const { error, result } = await window.askTestWallet({ method, params })
        if (error !== undefined) throw error
        return result
      },
    }
    if (!${isAnnounced}) {
      window.ethereum = provider
      return
    }
    const info = { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Test Wallet', icon: 'data:,', rdns: 'test.wallet' }
    const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
    addEventListener('eip6963:requestProvider', announce)
    announce()
  })()`
}

/** A browser wallet that really signs, with a key of its own. A test may have it answer a method otherwise. */
export class TestWallet {
  readonly requests: WalletRequest[] = []
  /** What it answers in place of the truth; a `WalletError` is thrown. */
  readonly lies = new Map<string, (params: readonly unknown[]) => unknown>()
  chainId = MAINNET
  networks: readonly number[] = [MAINNET, SEPOLIA]

  constructor(
    private readonly node: EvmNode,
    private readonly account: EvmAccount,
  ) {}

  /** Puts it into a page that is not loaded yet. */
  async install(page: Page, isAnnounced = true): Promise<void> {
    await page.exposeFunction('askTestWallet', async (request: WalletRequest) => {
      this.requests.push(request)
      const lie = this.lies.get(request.method)
      const answer = await (lie === undefined ? this.answer(request) : lie(request.params))
      return answer instanceof WalletError ? { error: { ...answer } } : { result: answer }
    })
    await page.addInitScript(injected(isAnnounced))
  }

  /** The transfers that it was asked to send. */
  get transfers(): readonly TransferRequest[] {
    return this.requests
      .filter(({ method }) => method === 'eth_sendTransaction')
      .map(({ params }) => params[0] as TransferRequest)
  }

  private async answer({ method, params }: WalletRequest): Promise<unknown> {
    switch (method) {
      case 'eth_requestAccounts':
        return [this.account.address]
      case 'eth_chainId':
        return `0x${this.chainId.toString(16)}`
      case 'wallet_switchEthereumChain': {
        const wanted = Number((params[0] as { chainId: string }).chainId)
        if (!this.networks.includes(wanted)) return new WalletError(4902, 'Unrecognized chain ID.')
        this.chainId = wanted
        return null
      }
      case 'eth_getBalance':
      case 'eth_call':
        // On another network it has nothing, in a token that is at the same address.
        return this.chainId === SEPOLIA ? await this.node.call(method, ...params) : NOTHING
      case 'eth_getTransactionReceipt':
        return await this.node.call(method, ...params)
      case 'eth_sendTransaction':
        return await this.send(params[0] as TransferRequest)
      default:
        return new WalletError(4200, `The method ${method} is not supported.`)
    }
  }

  private async send({ chainId, from, to, value, data }: TransferRequest): Promise<unknown> {
    assert.deepEqual([Number(chainId), from], [this.chainId, this.account.address])
    const nonce = Number(await this.node.call('eth_getTransactionCount', from, 'pending'))
    const transfer = { nonce, gasPrice: GAS_PRICE, gas: GAS, to, value: BigInt(value), data }
    const raw = await signTransaction({ type: 2, chainId: this.chainId, ...transfer }, this.account)
    return await this.node.call('eth_sendRawTransaction', raw)
  }
}
