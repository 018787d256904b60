import { addressOfAccount } from '../../src/networks/tron/address.js'
import { emulatedAccount, TRANSFER_TOPIC } from '../support/tron-transactions.js'
import { type LongChain, listed } from './long-chain.js'

const TOKEN = emulatedAccount(900)
const OTHER_TOKEN = emulatedAccount(901)
const STRANGER = emulatedAccount(902)
const WALLET = emulatedAccount(903)
const START_MS = Math.floor(Date.now() / 1000) * 1000 - 60_000
const STEP_MS = 3000
const TX_ID = 'ab'.repeat(32)
const NO_ROOT = '0'.repeat(64)

/** A chain of empty blocks, each solid at once, of which one has a transaction with many logs, the last of which pays a wallet. */
export class LongTron implements LongChain {
  readonly network = 'TRX-NILE'
  readonly wallet = addressOfAccount(WALLET)
  readonly payments = 1
  readonly settings = (url: string) => ({
    BILLHOOK_TRX_NILE_URLS: url,
    BILLHOOK_TRX_NILE_TOKEN: addressOfAccount(TOKEN),
    BILLHOOK_TRX_NILE_GENESIS: idOf(0),
    BILLHOOK_TRX_NILE_START: '1',
    BILLHOOK_TRX_NILE_POLL_MS: '100',
  })
  latest = 0

  constructor(private readonly long: { readonly height: number; readonly logs: number }) {}

  *answer(path: string, body: string): Generator<string> {
    const asked = JSON.parse(body === '' ? '{}' : body) as Readonly<Record<string, unknown>>
    switch (path.split('/').at(-1)) {
      case 'getnowblock':
        return yield this.block(this.latest)
      case 'getblockbynum':
        return yield Number(asked['num']) > this.latest ? '{}' : this.block(Number(asked['num']))
      case 'getblockbylimitnext': {
        const [from, end] = [Number(asked['startNum']), Math.min(Number(asked['endNum']), this.latest + 1)]
        const blocks = Array.from({ length: Math.max(0, end - from) }, (_, i) => this.block(from + i))
        return yield `{"block":[${blocks.join(',')}]}`
      }
      case 'gettransactioninfobyblocknum':
        return yield* this.infos(Number(asked['num']))
      case 'triggerconstantcontract':
        return yield JSON.stringify({ result: { result: true }, constant_result: [word('6')] })
      default:
        return yield '{}'
    }
  }

  private block(height: number): string {
    const isLong = height === this.long.height
    const raw = {
      number: height,
      txTrieRoot: isLong ? 'c'.repeat(64) : NO_ROOT,
      parentHash: idOf(height - 1),
      timestamp: START_MS + STEP_MS * height,
    }
    const contract = [{ type: 'TriggerSmartContract', parameter: { value: { owner_address: `41${STRANGER}` } } }]
    const transaction = { txID: TX_ID, ret: [{ contractRet: 'SUCCESS' }], raw_data: { contract } }
    return JSON.stringify({
      blockID: idOf(height),
      block_header: { raw_data: raw },
      ...(isLong ? { transactions: [transaction] } : {}),
    })
  }

  private *infos(height: number): Generator<string> {
    if (height !== this.long.height) return yield '[]'
    const transfer = (address: string, to: string) => {
      return JSON.stringify({ address, topics: [TRANSFER_TOPIC, word(STRANGER), word(to)], data: word('7') })
    }
    const other = transfer(OTHER_TOKEN, STRANGER)
    const place = `"blockNumber":${height},"blockTimeStamp":${START_MS + STEP_MS * height}`
    yield `[{"id":"${TX_ID}",${place},"receipt":{"result":"SUCCESS"},"log":[`
    yield* listed(this.long.logs, () => other)
    yield `,${transfer(TOKEN, WALLET)}]}]`
  }
}

function idOf(height: number): string {
  return Math.max(0, height).toString(16).padStart(16, '0').padEnd(64, 'a')
}

function word(hex: string): string {
  return hex.padStart(64, '0')
}
