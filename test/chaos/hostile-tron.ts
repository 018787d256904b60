import { addressOfAccount } from '../../src/networks/tron/address.js'
import type { Random } from '../simulation/random.js'
import { EmulatedTronChain } from '../support/tron-chain.js'
import {
  type EmulatedToken,
  type EmulatedTronNode,
  type FaultyAnswer,
  type NodeRequest,
  openTronNode,
} from '../support/tron-node.js'
import {
  contractCall,
  type EmulatedTransaction,
  emulatedAccount,
  TRANSFER_TOPIC,
  tokenTransfer,
  transferLog,
  trc10Transfer,
  trxTransfer,
  unknownType,
  vote,
} from '../support/tron-transactions.js'
import type { HostileNetwork, HostilePayment } from './hostile-network.js'

const DECIMALS = 6
const TOKEN: EmulatedToken = {
  account: emulatedAccount(900),
  returns: { 'decimals()': String(DECIMALS).padStart(64, '0'), 'symbol()': '' },
}
const STRANGER = emulatedAccount(901)
/** As many as fit a transaction of 500 kB. */
const AUTHS = 240_000

/** What may be odd in the answers of a node, and what it refuses. */
export const TRON_QUIRKS = [
  'nothing',
  '404 for ranges of blocks',
  'infos of a block that are not served',
  'an info left out of those of a block',
  'lack of computing resources',
  'suspended beyond a frequency',
  'solidified blocks on another port',
  'pages of HTML in between',
  'no constant calls',
  'infos that are empty now and then',
] as const
type TronQuirk = (typeof TRON_QUIRKS)[number]

export interface HostileTronOptions {
  readonly id: string
  readonly claim: string
  /** 40 hex digits each. */
  readonly accounts: readonly string[]
  readonly startMs: number
  readonly random: Random
  readonly nowMs: () => number
}

/** A chain into whose blocks strangers put what they like, and a node that is odd in one way after another. */
export class HostileTron implements HostileNetwork {
  readonly quirks = TRON_QUIRKS
  readonly id: string
  readonly addresses: readonly string[]
  quirk: TronQuirk = 'nothing'
  private allowedFromMs = 0

  private constructor(
    private readonly options: HostileTronOptions,
    private readonly chain: EmulatedTronChain,
    private readonly node: EmulatedTronNode,
  ) {
    this.id = options.id
    this.addresses = options.accounts.map(addressOfAccount)
  }

  static async start(options: HostileTronOptions): Promise<HostileTron> {
    const chain = new EmulatedTronChain(options.startMs)
    chain.produceEmpty(20)
    const node = await openTronNode(chain, TOKEN)
    const network = new HostileTron(options, chain, node)
    node.spoil(/./, (answer, request) => network.spoiled(answer, request))
    return network
  }

  get entry() {
    const { id, claim } = this.options
    const token = { symbol: 'USDT', contract: addressOfAccount(TOKEN.account), decimals: DECIMALS }
    const common = { id, kind: 'tron', name: `Network ${id}`, claim, symbol: 'TRX', token }
    return { ...common, genesis: this.chain.blocks[0]?.hash, urls: [this.node.url], pollMs: 3000 }
  }

  get height(): number {
    return this.chain.latest
  }

  get requests(): number {
    return this.node.requests.length
  }

  finalHeight(): number {
    return this.chain.solidified
  }

  advance(toMs: number, isPaying: boolean): readonly HostilePayment[] {
    const { random, accounts } = this.options
    const payments: HostilePayment[] = []
    while (this.chain.newestMs < toMs) {
      const transactions = isPaying ? [...this.strange()] : []
      if (isPaying && random.chance(1 / 4)) {
        const account = random.pick(accounts as [string, ...string[]])
        const units = BigInt(random.between(1, 5_000_000))
        const isToken = random.chance(1 / 2)
        const payment = isToken ? this.paying(account, units) : trxTransfer(account, units)
        transactions.push(payment)
        for (const { currency, amount } of payment.pays) {
          payments.push({
            txHash: payment.id,
            toAddress: addressOfAccount(account),
            currency: currency === 'Tether' ? 'Tether' : '#native',
            amount,
            height: this.chain.latest + 1,
          })
        }
      }
      this.chain.produce(...random.shuffled(transactions))
    }
    return payments
  }

  close(): Promise<void> {
    return this.node.close()
  }

  /** A payment of tokens among logs that pay nothing. */
  private paying(account: string, units: bigint): EmulatedTransaction {
    const { random } = this.options
    if (random.chance(1 / 2)) return tokenTransfer(TOKEN.account, account, units)
    const real = transferLog(TOKEN.account, account, 55n)
    const odd = [
      { ...real, topics: [TRANSFER_TOPIC] },
      { ...real, topics: real.topics.slice(0, 2) },
      { ...real, topics: [...real.topics, real.topics[2] ?? ''] },
      { ...real, topics: [] },
      { ...real, data: '' },
      { ...real, address: emulatedAccount(902) },
    ]
    const logs = [...random.shuffled(odd).slice(0, 3), transferLog(TOKEN.account, account, units)]
    return contractCall(TOKEN.account, logs, [{ account, index: 4, currency: 'Tether', amount: String(units) }])
  }

  private strange(): readonly EmulatedTransaction[] {
    const { random, accounts } = this.options
    const ours = random.pick(accounts as [string, ...string[]])
    const all: readonly (() => EmulatedTransaction)[] = [
      () =>
        withRaw(trxTransfer(STRANGER, 5n), {
          auths: Array.from({ length: random.chance(1 / 40) ? AUTHS : 3 }, () => ({})),
        }),
      () => withResults(trxTransfer(STRANGER, 5n), [{ contractRet: 'SUCCESS' }, { contractRet: 'SUCCESS' }, {}]),
      () => tokenTransfer(TOKEN.account, ours, 99n, 'REVERT'),
      () => tokenTransfer(TOKEN.account, ours, 99n, 'OUT_OF_ENERGY'),
      () => trc10Transfer(ours, 1_000_000n),
      () => unknownType(),
      () => vote(),
      () => tokenTransfer(emulatedAccount(902), ours, 77n),
      () => contractCall(TOKEN.account, [{ ...transferLog(TOKEN.account, ours, 1n), topics: [TRANSFER_TOPIC] }], []),
      () => freezing(ours),
    ]
    return random
      .shuffled(all)
      .slice(0, random.between(0, 3))
      .map((make) => make())
  }

  private spoiled(answer: unknown, { path }: NodeRequest): FaultyAnswer {
    const { random } = this.options
    const { quirk } = this
    switch (quirk) {
      case '404 for ranges of blocks':
        if (path.endsWith('/getblockbylimitnext')) return { text: '<html>404 Not Found</html>', status: 404 }
        break
      case 'infos of a block that are not served':
        if (!path.endsWith('/gettransactioninfobyblocknum')) break
        return { text: JSON.stringify({ Error: 'this API is unavailable due to config' }), status: 404 }
      case 'an info left out of those of a block':
        if (path.endsWith('/gettransactioninfobyblocknum') && Array.isArray(answer)) return { json: answer.slice(1) }
        break
      case 'infos that are empty now and then':
        if (path.endsWith('/gettransactioninfobyblocknum') && random.chance(1 / 2)) return { json: [] }
        break
      case 'lack of computing resources':
        if (this.allows()) break
        return { json: { Error: 'class java.lang.IllegalAccessException : lack of computing resources' } }
      case 'suspended beyond a frequency':
        if (this.allows()) break
        return { json: { Error: 'The key exceeds the frequency limit(1), and the query server is suspended for 2s' } }
      case 'solidified blocks on another port':
        if (path.startsWith('/walletsolidity/')) return { text: '<html>405 Method Not Allowed</html>', status: 405 }
        break
      case 'pages of HTML in between':
        if (random.chance(1 / 8)) return { text: '<html><h1>Bad gateway</h1></html>', status: 502 }
        break
      case 'no constant calls':
        if (!path.endsWith('/triggerconstantcontract')) break
        return { json: { result: { code: 'OTHER_ERROR', message: hexOf('this node does not support constant') } } }
      case 'nothing':
        break
    }
    return { json: answer }
  }

  private allows(): boolean {
    const now = this.options.nowMs()
    if (now < this.allowedFromMs) return false
    this.allowedFromMs = now + 1000
    return true
  }
}

function withRaw(made: EmulatedTransaction, more: Readonly<Record<string, unknown>>): EmulatedTransaction {
  const raw = made.json['raw_data'] as Readonly<Record<string, unknown>>
  return { ...made, json: { ...made.json, raw_data: { ...raw, ...more } } }
}

function withResults(made: EmulatedTransaction, ret: readonly unknown[]): EmulatedTransaction {
  return { ...made, json: { ...made.json, ret } }
}

/** A contract freezes TRX for somebody's benefit: it names him and an amount, and nothing moves. */
function freezing(account: string): EmulatedTransaction {
  const call = contractCall(emulatedAccount(903), [], [])
  const internal = {
    hash: '0'.repeat(64),
    caller_address: `41${emulatedAccount(903)}`,
    transferTo_address: `41${account}`,
    callValueInfo: [{ callValue: 1_000_000 }],
    note: hexOf('freezeForEnergy'),
  }
  return { ...call, info: { ...call.info, internal_transactions: [internal] } }
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex')
}
