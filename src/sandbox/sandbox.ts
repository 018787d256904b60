import { createHash, randomFillSync } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../clock.js'
import type { RandomFill } from '../crypto/id.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import type { Network, Networks } from '../domain/network.js'
import type { ApplyEvents } from '../ledger/gateway-events.js'
import type { Logger } from '../log.js'
import { type Scheduler, systemScheduler } from '../scheduler.js'
import type { Store } from '../store/store.js'
import type { WalletPort } from '../store/wallets.js'
import { LedgerArchive } from './ledger-archive.js'
import {
  ASSIGN_OWNER_CONTRACT,
  LEDGER_NAMESPACE,
  type LedgerWallet,
  ONBOARD_CONTRACT,
  ONBOARDING_NAME,
  REPLACE_KEY_CONTRACT,
  SANDBOX_PLACE,
} from './ledger-contracts.js'
import { LedgerJournal } from './ledger-journal.js'
import { type LedgerKind, type LedgerTemper, QUIET, realTemper } from './ledger-temper.js'
import { JOURNAL_FILE } from './sandbox-directory.js'
import { SimulatedLedger } from './simulated-ledger.js'
import { SimulatedNetworks } from './simulated-networks.js'
import { SimulatedNode } from './simulated-node.js'

const LEDGER_PATH = '/sandbox/ledger'
/** From the arrival of a transaction to its commit, on a network of one machine. */
const AGREEMENT_MS = 10

export interface SandboxOptions {
  readonly store: Store
  /** The intake: the same way in that a gateway's push takes. */
  readonly apply: ApplyEvents
  readonly engine: Secp256k1Engine
  readonly networks: Networks
  /** The store's data directory, locked by it. */
  readonly dataDirectory: string
  /** Base address of the service, which is known once it listens: port 0 picks one. */
  readonly publicUrl: () => string
  readonly clock: Clock
  /** For failures that no caller waits for. */
  readonly log: Logger
  /** Default: the machine's. */
  readonly scheduler?: Scheduler
  /** Default: the machine's. */
  readonly random?: RandomFill
  readonly ledger: LedgerKind
  /** What the nodes of the ledger do. Default: as its kind does. */
  readonly temper?: LedgerTemper
  /** Resolves when nodes would have agreed on a transaction. Default: after `AGREEMENT_MS`. */
  readonly agree?: () => Promise<void>
}

/** The nodes of a ledger and the networks of the catalogue inside the process (decisions 9). Nothing in it has any value. */
export class Sandbox {
  /** Restores the ledger and fills up the wallets. Throws `OperatorError` when the ledger's journal cannot be used. */
  static async start(options: SandboxOptions): Promise<Sandbox> {
    const { store, apply, engine, networks: known, clock, log } = options
    const { scheduler = systemScheduler, random = randomFillSync, agree = () => setTimeout(AGREEMENT_MS) } = options
    const onError = (error: unknown) => log.error({ err: error }, 'the sandbox failed')
    const journal = LedgerJournal.open(join(options.dataDirectory, JOURNAL_FILE))
    const archive = new LedgerArchive(journal)
    const { wallets } = store
    const temper = options.temper ?? (options.ledger === 'real' ? realTemper() : QUIET)
    const findWallet = (id: string) => ledgerWallet(wallets, id)
    const shared = { archive, place: SANDBOX_PLACE, findWallet }
    const ledger = new SimulatedLedger({ ...shared, temper, engine, apply, agree, scheduler, onError })
    const networks = new SimulatedNetworks({ store, apply, networks: known, clock, scheduler, random, onError })
    const { mergesRepeats } = temper
    const nodes = ledger.nodes.map(
      (memory, index) => new SimulatedNode({ ...shared, index, ledger, memory, clock, mergesRepeats }),
    )
    const sandbox = new Sandbox(options.publicUrl, known.present, journal, ledger, nodes, networks)
    try {
      // Before the wallets are counted: the ledger's reports may assign some of them.
      await ledger.start()
      await networks.start()
    } catch (error) {
      await sandbox.close()
      throw error
    }
    return sandbox
  }

  private constructor(
    private readonly publicUrl: () => string,
    private readonly networkIds: readonly Network[],
    private readonly journal: LedgerJournal,
    private readonly ledger: SimulatedLedger,
    /** The first is the one that clients are told of. */
    readonly ledgerNodes: readonly SimulatedNode[],
    readonly networks: SimulatedNetworks,
  ) {}

  /** The node that clients are told of. */
  get ledgerNode(): SimulatedNode {
    const [node] = this.ledgerNodes
    if (node === undefined) throw new Error('a ledger has nodes')
    return node
  }

  /** Ends the silence of the ledger, so that requests to it end. */
  answerWaiting(): void {
    this.ledger.answerWaiting()
  }

  /** Does at once what is still due, then ends. The store and the intake must still work. */
  async close(): Promise<void> {
    await Promise.all([this.ledger.close(), this.networks.stop()])
    this.journal.close()
  }

  /** What a client needs to know to use the simulated ledger (decisions 9). Transactions go to `nodeUrl` and a slash. */
  describe() {
    return {
      notice: 'This is a sandbox: its ledger and its networks are simulated, and nothing in it has any value.',
      nodeUrl: `${this.publicUrl().replace(/\/+$/, '')}${LEDGER_PATH}`,
      namespace: LEDGER_NAMESPACE,
      contracts: { onboard: ONBOARD_CONTRACT, assignOwner: ASSIGN_OWNER_CONTRACT, replaceKey: REPLACE_KEY_CONTRACT },
      onboardingName: ONBOARDING_NAME,
      networks: this.networkIds,
    }
  }
}

/** A wallet of the store as a stream of the ledger. Its creation is no transaction here, so that has an id of its own making. */
async function ledgerWallet(wallets: Pick<WalletPort, 'find'>, id: string): Promise<LedgerWallet | undefined> {
  const wallet = await wallets.find(id)
  if (wallet === undefined) return undefined
  const { address, network, owner } = wallet
  return { address, network, owner, umid: createHash('sha256').update(`creation of ${id}`).digest('hex') }
}
