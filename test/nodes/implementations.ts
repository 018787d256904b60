import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { absenceOf } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { startEthereumJs } from './ethereumjs.js'
import { startGanache } from './ganache.js'
import { startHardhat } from './hardhat.js'
import type { SigningNode } from './signing-node.js'

/** Where and of which chain a node is started. */
export interface NodePlace {
  readonly chainId: number
  /** A directory for all that it writes. */
  readonly directory: string
  /** The port that it listens at. */
  readonly port: number
}

/** An implementation of Ethereum that the tests can start. */
export interface Implementation {
  readonly name: string
  /** Whether a chain is still there when its node is started again in the same directory. */
  readonly isDurable: boolean
  /** Whether its final block trails behind the newest one, as that of a real chain does. */
  readonly hasFinality: boolean
  /** Whether it tells what contracts did, by a tracer that tells calls. */
  readonly hasTraces: boolean
  start(place: NodePlace): Promise<SigningNode>
}

export const IMPLEMENTATIONS: readonly Implementation[] = [
  { name: 'Hardhat', isDurable: false, hasFinality: false, hasTraces: true, start: startHardhat },
  { name: 'Ganache', isDurable: true, hasFinality: false, hasTraces: false, start: startGanache },
  { name: 'EthereumJS', isDurable: true, hasFinality: true, hasTraces: false, start: startEthereumJs },
]

/** Why tests of other implementations are skipped; false when they can run. */
export const implementationsAbsence: string | false = absence()

function absence(): string | false {
  // The workspace has Node and EDR for this system alone.
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'test/nodes has nodes for Linux on x64 only'
  const packages = join(projectRoot, 'test/nodes')
  const { dependencies } = JSON.parse(readFileSync(join(packages, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  const missing = Object.keys(dependencies).filter((name) => !existsSync(join(packages, 'node_modules', name)))
  return missing.length === 0 ? false : absenceOf(...missing)
}
