import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, warmUp } from '../bench.js'
import { COMMANDS_AT_ONCE, Histories } from '../histories.js'
import { constantOf, startConstantServer } from '../limits/constant-server.js'
import { Merchants, pushEvents } from '../merchants.js'
import { CONSTANT, READ } from '../names.js'
import { registerMerchants } from '../registration.js'
import { plainNumber } from '../report-parts/figure.js'
import { httpRequest, writeRequestFile } from '../request-file.js'
import { withService } from '../service-process.js'

const READ_OF_MANY = 'GET /api/invoices/<id>, of many in turn'

const DEPOSITS = 10
/** The owner of the many invoices. */
const WALLET = 'many'

/**
 * Measures reads per second, in turn: of one invoice with its payment, of many invoices one after another, and of the
 * same bytes from a constant.
 */
export async function reads(bench: Bench): Promise<void> {
  const { parameters, findings, loadGenerator } = bench
  const { fewerConnections: connections, readInvoices } = parameters
  const data = join(bench.directory, 'reads')
  const file = join(bench.directory, 'read-requests')
  const samples = { read: [] as number[], many: [] as number[], constant: [] as number[] }
  const ids = await manyInvoices(data, readInvoices)
  await writeRequestFile(file, ids.length, (n) => httpRequest('GET', `/api/invoices/${ids[n]}`, []))
  await withService(data, {}, async ({ url }) => {
    const invoice = await paidInvoice(url)
    const answer = await constantOf(await fetch(invoice))
    const constant = await startConstantServer(answer)
    try {
      const same = `${constant.url}${new URL(invoice).pathname}`
      const read = (seconds: number) => loadGenerator.run({ url: invoice, connections, seconds, requests: null })
      const many = (seconds: number) => loadGenerator.run({ url, connections, seconds, requests: file })
      const repeat = (seconds: number) => loadGenerator.run({ url: same, connections, seconds, requests: null })
      for (const load of [read, many, repeat]) await warmUp(bench, load)
      for (let round = 0; round < parameters.rounds; round += 1) {
        samples.read.push(await read(parameters.seconds))
        samples.many.push(await many(parameters.seconds))
        samples.constant.push(await repeat(parameters.seconds))
      }
    } finally {
      await constant.stop()
    }
  })
  rmSync(data, { recursive: true })
  rmSync(file)
  const note = `over ${connections} connections`
  const readNote = `one with ${DEPOSITS} deposits, again and again, ${note}`
  const manyNote = `${plainNumber(readInvoices)} with ${DEPOSITS} deposits, one after the other, ${note}`
  const add = (name: string, of: readonly number[], about: string) =>
    findings.add({ group: 'reads', name, unit: 'per second', samples: of, note: about })
  add(READ, samples.read, readNote)
  add(READ_OF_MANY, samples.many, manyNote)
  add(CONSTANT, samples.constant, note)
}

/** Creates invoices of one wallet that have all received the same deposits, and returns their ids. */
async function manyInvoices(data: string, count: number): Promise<readonly string[]> {
  const histories = await Histories.open(data, count + DEPOSITS)
  await histories.addWallet(WALLET)
  const ids: string[] = []
  while (ids.length < count) {
    const batch = Math.min(COMMANDS_AT_ONCE, count - ids.length)
    ids.push(...(await histories.perform(histories.creations(WALLET, 0, batch))))
  }
  await histories.perform(histories.deposits(WALLET, DEPOSITS))
  await histories.close()
  return ids
}

/** Creates an invoice that has received part of its amount in several deposits, and returns its URL. */
async function paidInvoice(url: string): Promise<string> {
  const merchants = new Merchants(1, 1)
  const [wallet] = merchants.wallets
  if (wallet === undefined) throw new Error('there is no wallet')
  await registerMerchants(url, merchants.signers, merchants.wallets)
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
