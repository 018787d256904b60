import { EthereumChain } from '../support/ethereum-chain.js'
import { freePort } from '../support/free-port.js'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js'
import type { Implementation } from './implementations.js'
import type { SigningNode } from './signing-node.js'

/** The chain id of Sepolia, which a service watches without settings of its own. */
const CHAIN_ID = 11_155_111

/** A node of one implementation at one URL, which can be started again there. */
export class Site {
  private constructor(
    private readonly implementation: Implementation,
    private readonly chainId: number,
    private readonly port: number,
    private directory: TemporaryDirectory,
    private started: EthereumChain<SigningNode>,
  ) {}

  static async start(implementation: Implementation, chainId = CHAIN_ID): Promise<Site> {
    const port = await freePort()
    const directory = temporaryDirectory()
    const place = { chainId, directory: directory.path, port }
    return new Site(implementation, chainId, port, directory, await EthereumChain.on(await implementation.start(place)))
  }

  get chain(): EthereumChain<SigningNode> {
    return this.started
  }

  /** Ends the node and starts it again with what it has kept. */
  async restart(): Promise<void> {
    await this.started.stop()
    await this.startHere()
  }

  /** Ends the node and starts another chain at the same URL. */
  async startAfresh(): Promise<void> {
    await this.stop()
    this.directory = temporaryDirectory()
    await this.startHere()
  }

  async stop(): Promise<void> {
    await this.started.stop()
    this.directory.remove()
  }

  private async startHere(): Promise<void> {
    const { chainId, port, directory } = this
    this.started = await EthereumChain.on(await this.implementation.start({ chainId, port, directory: directory.path }))
  }
}
