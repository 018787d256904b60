import { ethereumReader, watching } from '../../test/networks/ethereum/fixture.js'
import { Child } from '../child.js'
import { accountNumber, TOKEN } from './chain.js'

const wallets = Array.from({ length: 1000 }, (_, i) => accountNumber(5_000_000 + i))
const node = Child.start('./second-layer/node-child.js', {
  transfersPerBlock: 200,
  wallets,
  height: 5000,
  blocksPerSecond: 4,
  unfinalized: 2,
})
const { url } = await node.message<{ url: string }>()
const reader = ethereumReader([url], {
  token: TOKEN,
  chainId: 0xa4b1,
  confirmation: 'finalized',
  answerLimit: 32 * 1024 * 1024,
  batchMax: 50,
} as never)
await reader.verify()
console.log(await reader.head())
const [, unnamed] = watching(wallets)
let next = 1
let transfers = 0
const at = performance.now()
const cpu = process.cpuUsage()
while (next < Number(process.argv[2] ?? 1000)) {
  const blocks = await reader.blocks(next, 4000, unnamed)
  next += blocks.length
  for (const b of blocks) transfers += b.transfers.length
}
const s = (performance.now() - at) / 1000
const used = process.cpuUsage(cpu)
console.log({
  blocks: next,
  transfers,
  s,
  perSecond: next / s,
  cpu: (used.user + used.system) / 1e6,
  rss: process.memoryUsage.rss() / 2 ** 20,
  requests: reader.endpoints()[0],
})
await reader.close()
await node.stop()
