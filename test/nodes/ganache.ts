import { join } from 'node:path'
import { askNode } from '../support/evm-node.js'
import { DEVELOPMENT_MNEMONIC } from '../support/evm-transaction.js'
import type { NodePlace } from './implementations.js'
import { packagesDirectory } from './packages.js'
import { Program } from './program.js'
import { SigningNode } from './signing-node.js'
import { Snapshots } from './snapshots.js'

/** Starts Ganache, which keeps its chain in the directory. */
export async function startGanache({ chainId, directory, port }: NodePlace): Promise<SigningNode> {
  const flags = ['--server.port', port, '--chain.chainId', chainId, '--chain.networkId', chainId]
  const { program, captured } = await Program.start({
    executable: process.execPath,
    argv: [
      join(packagesDirectory, 'ganache/dist/node/cli.js'),
      ...flags.map(String),
      ...['--server.host', '127.0.0.1', '--database.dbPath', join(directory, 'chain')],
      ...['--wallet.mnemonic', DEVELOPMENT_MNEMONIC],
    ],
    directory,
    ready: /^RPC Listening on (\S+)$/,
  })
  const url = `http://${captured}`
  const ask = (method: string, ...params: readonly unknown[]) => askNode(url, method, params)
  // From now on it mines when it is told to.
  await ask('miner_stop')
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
