import { parseArgs } from 'node:util'
import { measureCatchUp } from '../test/networks/ethereum/catch-up.js'
import { anvilAbsence } from '../test/support/anvil.js'
import { measureServiceCatchUp, type ServiceCatchUp } from './service-catch-up.js'

/*
 * Measures how fast the Ethereum reader reads a history from a real node on this machine, and with how many requests;
 * then how fast a whole service records it, with the wallets of the history and with a hundred times as many.
 *
 *     node dist/bench/catch-up.js [--blocks 10000] [--wallets 1000] [--deposits 5000]
 */

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '10000' },
    wallets: { type: 'string', default: '1000' },
    deposits: { type: 'string', default: '5000' },
  },
})

const BYTES_PER_MIB = 1024 * 1024
/** Wallets for each one of the history. */
const MANY = 100

if (anvilAbsence !== false) throw new Error(anvilAbsence)
const wallets = Number(values.wallets)
const services: ServiceCatchUp[] = []
const figures = await measureCatchUp(
  { blocks: Number(values.blocks), wallets, deposits: Number(values.deposits), headBlocks: 1000 },
  async (nodeUrl, token, to) => {
    for (const count of [wallets, wallets * MANY]) services.push(await measureServiceCatchUp(nodeUrl, token, to, count))
  },
)
const lines = [
  `${figures.blocks} blocks with ${figures.deposits} deposits to ${values.wallets} wallets`,
  `${figures.seconds.toFixed(2)} s, ${Math.round(figures.blocks / figures.seconds)} blocks/s`,
  `catching up: ${figures.requestsPerBlock.toFixed(4)} HTTP requests and ${figures.callsPerBlock.toFixed(3)} calls per block`,
  `at the head: ${figures.headRequestsPerBlock.toFixed(3)} HTTP requests per block`,
  `resident memory afterwards: ${mebibytes(figures.residentBytes / BYTES_PER_MIB)}`,
  ...services.map(
    (service) =>
      `a service with ${service.wallets} wallets: ${service.deposits} deposits recorded in ${service.seconds.toFixed(2)} s from its ` +
      `start, ${Math.round(figures.blocks / service.seconds)} blocks/s, ${((service.seconds * 1e6) / figures.blocks).toFixed(0)} µs a block; ` +
      `resident ${mebibytes(service.before.resident)} when ready, ${mebibytes(service.after.resident)} then, ` +
      `${mebibytes(service.after.own)} of it its own`,
  ),
]
process.stdout.write(`${lines.join('\n')}\n`)

function mebibytes(size: number): string {
  return `${Math.round(size)} MiB`
}
