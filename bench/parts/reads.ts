import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { constantOf, startConstantServer } from '../limits/constant-server.js'
import { Merchants, pushEvents } from '../merchants.js'
import { withService } from '../service-process.js'

export const READ = 'GET /api/invoices/<id>'
export const CONSTANT = 'uWS, the same bytes from a constant'

const DEPOSITS = 10

/** Reads per second of an invoice with its payment, and of the same bytes from a constant, in turn. */
export async function reads(bench: Bench): Promise<void> {
  const { parameters, findings, loadGenerator } = bench
  const data = join(bench.directory, 'reads')
  const samples = { read: [] as number[], constant: [] as number[] }
  await withService(data, {}, async ({ url }) => {
    const invoice = await paidInvoice(url)
    const answer = await constantOf(await fetch(invoice))
    const constant = await startConstantServer(answer)
    try {
      const load = (target: string, seconds: number) =>
        loadGenerator.run({ url: target, connections: parameters.fewerConnections, seconds, requests: null })
      const same = `${constant.url}${new URL(invoice).pathname}`
      for (const target of [invoice, same]) await load(target, parameters.warmUpSeconds)
      for (let round = 0; round < parameters.rounds; round += 1) {
        samples.read.push(await load(invoice, parameters.seconds))
        samples.constant.push(await load(same, parameters.seconds))
      }
    } finally {
      await constant.stop()
    }
  })
  rmSync(data, { recursive: true })
  const note = `over ${parameters.fewerConnections} connections`
  const readNote = `one with ${DEPOSITS} deposits, its payment computed each time, ${note}`
  findings.add({ group: 'reads', name: READ, unit: 'per second', samples: samples.read, note: readNote })
  findings.add({ group: 'reads', name: CONSTANT, unit: 'per second', samples: samples.constant, note })
}

/** An invoice that has received a part of its amount in several deposits; answers its URL. */
async function paidInvoice(url: string): Promise<string> {
  const merchants = new Merchants(1, 1)
  const [wallet] = merchants.wallets
  if (wallet === undefined) throw new Error('there is no wallet')
  await merchants.register(url)
  const draft = { owner: wallet.owner, walletIds: [wallet.id], name: 'Order', amount: '100', currency: 'USDT' }
  const response = await fetch(`${url}/api/invoices`, { method: 'POST', body: JSON.stringify(draft) })
  const { id } = (await response.json()) as { readonly id: string }
  const deposits = Array.from({ length: DEPOSITS }, (_, n) => ({
    id: `deposit-${n}`,
    type: 'deposit.confirmed',
    deposit: {
      network: wallet.network,
      txHash: `deposit-${n}`,
      toAddress: wallet.address,
      currency: 'Tether',
      amount: '1500000',
      receivedAt: Date.now() + n + 1,
    },
  }))
  await pushEvents(url, deposits)
  const invoice = `${url}/api/invoices/${id}`
  const text = await (await fetch(invoice)).text()
  if (!text.includes('"received":"15"')) throw new Error(`the deposits were not counted: ${text}`)
  return invoice
}
