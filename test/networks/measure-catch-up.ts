import { parseArgs } from 'node:util'
import { anvilAbsence } from '../support/anvil.js'
import { measureCatchUp } from './ethereum-catch-up.js'

/*
 * How fast the Ethereum reader reads a history from a real node on this machine, and with how many requests.
 *
 *     node dist/test/networks/measure-catch-up.js [--blocks 10000] [--wallets 1000] [--deposits 5000]
 */

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '10000' },
    wallets: { type: 'string', default: '1000' },
    deposits: { type: 'string', default: '5000' },
  },
})

if (anvilAbsence !== false) throw new Error(anvilAbsence)
const figures = await measureCatchUp({
  blocks: Number(values.blocks),
  wallets: Number(values.wallets),
  deposits: Number(values.deposits),
  headBlocks: 1000,
})
const lines = [
  `${figures.blocks} blocks with ${figures.deposits} deposits to ${values.wallets} wallets`,
  `${figures.seconds.toFixed(2)} s, ${Math.round(figures.blocks / figures.seconds)} blocks/s`,
  `catching up: ${figures.requestsPerBlock.toFixed(4)} HTTP requests and ${figures.callsPerBlock.toFixed(3)} calls per block`,
  `at the head: ${figures.headRequestsPerBlock.toFixed(3)} HTTP requests per block`,
  `resident memory afterwards: ${Math.round(figures.residentBytes / 1e6)} MB`,
]
process.stdout.write(`${lines.join('\n')}\n`)
