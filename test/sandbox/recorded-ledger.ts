import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { noble } from '../../src/crypto/noble.js'
import { LedgerArchive } from '../../src/sandbox/ledger-archive.js'
import {
  assignContract,
  type LedgerContract,
  type LedgerWallet,
  onboardContract,
  refuseSelfSigned,
  replaceKeyContract,
} from '../../src/sandbox/ledger-contracts.js'
import { LedgerJournal } from '../../src/sandbox/ledger-journal.js'
import type { LedgerTemper, OnboardingOutcome } from '../../src/sandbox/ledger-temper.js'
import { SimulatedLedger } from '../../src/sandbox/simulated-ledger.js'
import { SimulatedNode } from '../../src/sandbox/simulated-node.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { memoryDirectory } from '../support/temporary-directory.js'

export const ONBOARDING_NAME = 'shop.identity'
const WALLET_NAME = 'shop.wallet'
const OPERATOR_NAME = 'activeledger.default.identity.op'
/** When the first recorded transaction arrived. */
const START_MS = 1795651779000
const LINGER_MS = 20

type Inputs = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The recorded network: three nodes with the contracts of the recording, and those that a node brings along. */
export class RecordedLedger {
  readonly clock = new ManualClock(START_MS)
  readonly scheduler = new ManualScheduler()
  readonly contracts: LedgerContract[] = []
  readonly wallets = new Map<string, LedgerWallet>()
  readonly nodes: readonly SimulatedNode[]
  /** The outcomes of the next two simultaneous onboardings. */
  onboardings: readonly [OnboardingOutcome, OnboardingOutcome] = ['committed', 'committed']
  /** The id of the next stream whose id is not made from what the transaction says. */
  nextId = ''
  readonly archive: LedgerArchive
  private readonly directory = memoryDirectory()
  private readonly journal = LedgerJournal.open(join(this.directory.path, 'ledger.jsonl'))
  private readonly ledger: SimulatedLedger

  constructor(operatorKey: string) {
    this.archive = new LedgerArchive(this.journal)
    const { archive, clock, scheduler } = this
    const place = { contracts: this.contracts, onboardingName: ONBOARDING_NAME, walletName: WALLET_NAME, operatorKey }
    const temper: LedgerTemper = {
      nodes: 3,
      isSilent: true,
      mergesRepeats: true,
      lingerMs: LINGER_MS,
      onboardings: () => this.onboardings,
      rivals: () => 'refused',
      lags: () => false,
    }
    const findWallet = async (id: string) => this.wallets.get(id)
    const shared = { place, archive, findWallet }
    this.ledger = new SimulatedLedger({
      ...shared,
      temper,
      engine: noble,
      apply: async () => [],
      agree: () => setImmediate(),
      scheduler,
      onError: (error) => {
        throw error
      },
    })
    this.nodes = this.ledger.nodes.map(
      (memory, index) =>
        new SimulatedNode({ ...shared, index, ledger: this.ledger, memory, clock, mergesRepeats: true }),
    )
    this.contracts.push(...this.builtIn())
  }

  /** Time passes, and every node is done with the last transaction. */
  settle(): void {
    this.clock.advance(LINGER_MS)
    this.scheduler.pass(LINGER_MS)
  }

  /** An identity that was onboarded beside the recording. */
  onboard(publicKey: string): void {
    const identity = createHash('sha256').update(`${publicKey}${ONBOARDING_NAME}`).digest('hex')
    const umid = randomUmid()
    this.archive.commit({ type: 'identity', umid, identity, publicKey }, this.clock.now(), NOTHING)
  }

  /** A wallet that was created beside the recording. */
  createWallet(id: string, address: string): void {
    const umid = randomUmid()
    this.wallets.set(id, { address, network: 'TRX-NILE', owner: null, umid })
    this.archive.commit({ type: 'plain', umid, isListed: true }, this.clock.now(), NOTHING)
  }

  /** What a committed transaction of the operator has made. */
  keep(tx: Readonly<Record<string, unknown>>, umid: string): void {
    const [fields = {}] = Object.values(tx['$i'] as Inputs)
    const { name, namespace, version, contract: source, address, network, link } = fields
    if (typeof link === 'string') {
      const linked = this.contracts.findIndex(({ id }) => id === source)
      this.contracts[linked] = { ...(this.contracts[linked] as LedgerContract), label: link }
    } else if (typeof source === 'string') {
      const make = PROGRAMS[String(name)]
      if (make === undefined) throw new Error(`the recording has no contract ${name}`)
      const id = this.nextId
      this.contracts.push(
        make({ namespace: String(namespace), id, name: String(name), version: String(version), source }, this),
      )
    } else if (typeof address === 'string') {
      this.wallets.set(this.nextId, { address, network: String(network), owner: null, umid })
    }
  }

  async close(): Promise<void> {
    await this.ledger.close()
    this.journal.close()
    this.directory.remove()
  }

  /** The contracts that deploy others. */
  private builtIn(): readonly LedgerContract[] {
    const place = (name: string) => ({ namespace: 'default', id: name, name, version: '1.0.0', source: '' })
    const touchOperator = (identity: string) => [{ id: identity, name: OPERATOR_NAME }]
    return [
      {
        ...place('onboard'),
        verify: () => null,
        vote: () => null,
        commit: ({ inputs }) => ({
          type: 'identity',
          identity: this.nextId,
          publicKey: [...inputs.values()][0]?.publicKey ?? '',
          name: OPERATOR_NAME,
        }),
      },
      {
        ...place('namespace'),
        verify: refuseSelfSigned,
        vote: () => null,
        commit: ({ inputs }) => ({
          type: 'other',
          created: [],
          updated: [...inputs.values()].flatMap(({ stream }) => touchOperator(stream)),
        }),
      },
      {
        ...place('contract'),
        verify: refuseSelfSigned,
        vote: () => null,
        commit: ({ entry, sent }) => {
          const [{ namespace, name, version } = {}] = Object.values(sent.$tx['$i'] as Inputs)
          const created =
            entry === 'link' ? [] : [{ id: this.nextId, name: `contract.${namespace}.${name}@${version}` }]
          return { type: 'other', created, updated: [] }
        },
      },
    ]
  }
}

type Make = (
  place: Pick<LedgerContract, 'namespace' | 'id' | 'name' | 'version' | 'source'>,
  ledger: RecordedLedger,
) => LedgerContract

/** What the deployed contracts do, by name. */
const PROGRAMS: Readonly<Record<string, Make>> = {
  onboard: (place) => onboardContract(place, ONBOARDING_NAME),
  assign: (place) => assignContract(place),
  // The same, for those who are named by a signature.
  assign2: (place) => {
    const assign = assignContract(place)
    return {
      ...assign,
      vote: (transaction, view) =>
        view.isNamedBySignature('owner') ? assign.vote(transaction, view) : 'not signed by the owner',
    }
  },
  rotate: (place) => replaceKeyContract(place),
  wallet: (place, ledger) => ({
    ...place,
    verify: refuseSelfSigned,
    vote: () => null,
    commit: () => ({ type: 'other', created: [{ id: ledger.nextId, name: WALLET_NAME }], updated: [] }),
  }),
  evt: (place) => ({
    ...place,
    verify: refuseSelfSigned,
    vote: () => null,
    commit: () => ({ type: 'other', created: [], updated: [] }),
  }),
}

const NOTHING = { $tx: {}, $sigs: {}, $selfsign: false }

function randomUmid(): string {
  return createHash('sha256').update(randomUUID()).digest('hex')
}
