import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ask, pushEvents } from '../chaos/http-client.js'
import { startChild } from '../cli/child.js'
import { anvilAbsence } from '../support/anvil.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { CONFIRMATIONS, OWNER, paymentOf, until, WatchedChain } from './watched-chain.js'

const MAIN = new URL('../../src/main.js', import.meta.url)
const NETWORK = 'DEV'
const ETHER = 10n ** 18n
const wallets = ['1', '2'].map((n) => {
  return { id: `wallet-${n}`, address: `0xabcd${n.padStart(36, '0')}`, network: NETWORK }
})

function networksFile({ proxy, token }: WatchedChain): string {
  const names = { id: NETWORK, kind: 'evm', name: 'Development', claim: 'dev/eth', testnet: true, symbol: 'ETH' }
  const chain = { chainId: 11_155_111, token: { symbol: 'USDT', contract: token.toLowerCase(), decimals: 6 } }
  const reading = { urls: [proxy.url], confirmations: CONFIRMATIONS, pollMs: 100, traces: true }
  return JSON.stringify({ networks: [{ ...names, ...chain, ...reading }] })
}

/** An invoice on the n-th wallet. */
async function openInvoice(url: string, n: number, amount: string, currency: 'USDT' | 'native'): Promise<string> {
  const invoice = {
    owner: OWNER,
    walletIds: [`wallet-${n}`],
    name: 'Order',
    amount,
    currency,
    reference: `${n} ${currency}`,
  }
  const created = await ask('POST', `${url}/api/invoices`, JSON.stringify(invoice))
  assert.equal(created?.status, 201, JSON.stringify(created?.json))
  return created.json.id
}

describe('a service whose node does not finish the trace of a transaction', {
  skip: anvilAbsence,
  timeout: 120_000,
}, () => {
  test('records every other payment of the block at once, says what is missing, and records it late', async (t) => {
    const world = await WatchedChain.start(t)
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const payer = await world.chain.deploy('payer')
    const file = join(place.path, 'networks.json')
    writeFileSync(file, networksFile(world))
    const service = await ServiceProcess.start(place.path, { BILLHOOK_NETWORKS: file })
    t.after(() => service.end('SIGTERM'))
    const events = wallets.flatMap((wallet) => [
      { id: `created ${wallet.id}`, type: 'wallet.created', wallet },
      { id: `assigned ${wallet.id}`, type: 'wallet.assigned', wallet: { id: wallet.id }, owner: OWNER },
    ])
    assert.equal((await pushEvents(service.url, events))?.status, 200)
    const { url } = service
    const late = await openInvoice(url, 1, '1', 'native')
    const [byContract, inTokens] = [await openInvoice(url, 2, '1', 'native'), await openInvoice(url, 2, '25', 'USDT')]

    const pay = (n: number) => {
      return world.chain.sendCall(payer, 'pay(address)', [wallets[n]?.address ?? ''], { value: ETHER })
    }
    const bad = await pay(0)
    await pay(1)
    const to = wallets[1]?.address ?? ''
    await world.chain.sendCall(world.token, 'transfer(address,uint256)', [to, 25n * 10n ** 6n])
    world.proxy.fault = {
      alter: ({ method, params }, end) => {
        const isBad = method === 'debug_traceBlockByHash' || (method === 'debug_traceTransaction' && params[0] === bad)
        return isBad ? { error: { code: -32_000, message: 'execution timeout' } } : end
      },
    }
    await world.chain.mine(CONFIRMATIONS)
    await until(async () => {
      const payments = await Promise.all([byContract, inTokens].map((id) => paymentOf(url, id)))
      return payments.every(({ status }) => status === 'paid')
    })
    const sentences = async () => {
      const { degraded = [] } = (await (await fetch(`${url}/readyz`)).json()) as { readonly degraded?: string[] }
      return degraded.filter((sentence) => sentence.startsWith(`${NETWORK} goes on without 1 block`))
    }
    await until(async () => (await sentences()).length === 1)
    assert.equal((await paymentOf(url, late))['received'], '0')
    const status = await startChild(MAIN, ['status', '--data', place.path], {}).ended
    assert.match(
      status.stdout,
      new RegExp(`only what contracts send in transaction ${bad} is not known: .*execution timeout`),
    )

    world.proxy.fault = {}
    await until(async () => (await paymentOf(url, late))['status'] === 'paid')
    await until(async () => (await sentences()).length === 0)
  })
})
