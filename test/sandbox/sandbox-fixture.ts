import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type IncomingEvent, Intake } from '../../src/actors/intake.js'
import { WalletDirectory } from '../../src/actors/wallet-directory.js'
import { noble } from '../../src/crypto/noble.js'
import type { EventOutcome } from '../../src/domain/ledger-fact.js'
import { Networks } from '../../src/domain/network.js'
import { createLog } from '../../src/log.js'
import { type LedgerTemper, QUIET } from '../../src/sandbox/ledger-temper.js'
import { Sandbox } from '../../src/sandbox/sandbox.js'
import { type LmdbStore, openLmdbStore } from '../../src/store/lmdb/lmdb-store.js'
import { lmdbStoreOptions } from '../support/lmdb-harness.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { withDecimals } from '../support/networks.js'
import { signDer, type TestKey } from '../support/signing.js'
import { memoryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js'

export const PUBLIC_URL = 'http://127.0.0.1:8080'

/** Calls of the intake that something under way may take before a test gives it up. */
const CALLS_MAX = 100

/** Different on purpose, so that neither is taken for the other. */
const networks = new Networks(withDecimals({ 'TRX-NILE': 4 }).all.filter(({ isTest }) => isTest))

/** An intake that keeps what it was told, and fails when the test wants it to. */
class ObservedIntake {
  /** What was applied. */
  readonly events: IncomingEvent[] = []
  failure: Error | null = null
  failedCount = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly intake: Intake) {}

  async apply(events: readonly IncomingEvent[]): Promise<readonly EventOutcome[]> {
    try {
      if (this.failure !== null) {
        this.failedCount += 1
        throw this.failure
      }
      const outcomes = await this.intake.apply(events)
      this.events.push(...events)
      return outcomes
    } finally {
      for (const wake of this.waiting.splice(0)) wake()
    }
  }

  /** Resolves when the next call has been answered, and the one who called has gone on. */
  async answered(): Promise<void> {
    await new Promise<void>((wake) => this.waiting.push(wake))
    await setImmediate()
  }
}

interface Consensus {
  agree: () => Promise<void>
}

/** A sandbox over a real store, with its time in the hands of the test. */
export class SandboxFixture {
  private constructor(
    readonly place: TemporaryDirectory,
    readonly clock: ManualClock,
    public store: LmdbStore,
    public intake: ObservedIntake,
    public scheduler: ManualScheduler,
    public sandbox: Sandbox,
    /** What the nodes of the ledger do until they agree. */
    readonly consensus: Consensus,
    private readonly temper: LedgerTemper,
  ) {}

  static async start({ temper = QUIET }: { temper?: LedgerTemper } = {}): Promise<SandboxFixture> {
    const place = memoryDirectory()
    const clock = new ManualClock()
    const consensus = { agree: () => setImmediate() }
    const { store, intake, scheduler, sandbox } = await SandboxFixture.open(place, clock, consensus, temper)
    return new SandboxFixture(place, clock, store, intake, scheduler, sandbox, consensus, temper)
  }

  /** Ends the sandbox, or only lets go of it as a crash would, and starts another on the same directory. */
  async restart(how: 'cleanly' | 'after a crash'): Promise<void> {
    if (how === 'cleanly') await this.sandbox.close()
    await this.store.close()
    const parts = await SandboxFixture.open(this.place, this.clock, this.consensus, this.temper)
    this.store = parts.store
    this.intake = parts.intake
    this.scheduler = parts.scheduler
    this.sandbox = parts.sandbox
  }

  /** Resolves when what the sandbox tells the service has led to this. */
  async until(isSo: () => boolean): Promise<void> {
    for (let call = 0; call < CALLS_MAX; call += 1) {
      if (isSo()) return
      await this.intake.answered()
    }
    assert.fail('what was told did not lead to what was expected')
  }

  async close(): Promise<void> {
    await this.sandbox.close()
    await this.store.close()
    this.place.remove()
  }

  private static async open(place: TemporaryDirectory, clock: ManualClock, consensus: Consensus, temper: LedgerTemper) {
    const store = await openLmdbStore({ ...lmdbStoreOptions(place.path, clock), networks })
    const intake = new ObservedIntake(new Intake(store.ledger, new WalletDirectory(store), () => undefined))
    const scheduler = new ManualScheduler()
    const sandbox = await Sandbox.start({
      store,
      apply: (events) => intake.apply(events),
      engine: noble,
      networks,
      dataDirectory: place.path,
      publicUrl: () => PUBLIC_URL,
      clock,
      log: createLog('silent'),
      scheduler,
      agree: () => consensus.agree(),
      ledger: 'real',
      temper,
    })
    return { store, intake, scheduler, sandbox }
  }
}

/** What a client sends to a ledger node. */
export interface ClientTransaction {
  readonly $selfsign?: boolean
  readonly $sigs: Readonly<Record<string, unknown>>
  readonly $tx: Readonly<Record<string, unknown>>
}

/** The signature of `$tx` as the specification has it: base64 of DER over its JSON. */
export function signTx(key: TestKey, tx: unknown, s: 'low' | 'high' = 'low'): string {
  return signDer(Buffer.from(JSON.stringify(tx)), key, s).toString('base64')
}

/** What is needed of `GET /sandbox` to address the ledger. */
type Place = Pick<ReturnType<Sandbox['describe']>, 'namespace' | 'contracts'>

export function onboardTx(place: Place, publicKey: unknown, more: Readonly<Record<string, unknown>> = {}) {
  return {
    $contract: place.contracts.onboard,
    $namespace: place.namespace,
    $i: { otk: { publicKey, type: 'secp256k1', ...more } },
  }
}

export function onboarding(place: Place, key: TestKey, publicKey: string = `0x${key.publicKeyHex}`): ClientTransaction {
  const $tx = onboardTx(place, publicKey)
  return { $selfsign: true, $sigs: { otk: signTx(key, $tx) }, $tx }
}

export function assignTx(place: Place, identity: string, wallet: string) {
  return {
    $contract: place.contracts.assignOwner,
    $namespace: place.namespace,
    $i: { owner: { $stream: identity, personal: true } },
    $o: { wallet: { $stream: wallet } },
  }
}

export function assignment(place: Place, key: TestKey, identity: string, wallet: string): ClientTransaction {
  const $tx = assignTx(place, identity, wallet)
  return { $sigs: { [identity]: signTx(key, $tx) }, $tx }
}

/** The rule of the specification, by another road than the sandbox's. */
export function identityOf(publicKeyText: string, onboardingName: string): string {
  return createHash('sha256').update(publicKeyText).update(onboardingName).digest('hex')
}

/** Posts to the ledger and answers what a client reads. */
export async function post(sandbox: Sandbox, transaction: unknown) {
  const answer = await sandbox.ledgerNode.submit(Buffer.from(JSON.stringify(transaction)))
  assert.equal(answer.status, 200)
  return answer.value as {
    readonly $umid: string
    readonly $summary: { total: number; vote: number; commit: number; errors?: readonly string[] }
    readonly $streams?: {
      new: readonly { id: string; name: string }[]
      updated: readonly { id: string; name: string }[]
    }
  }
}

/** Posts and expects success. */
export async function commit(sandbox: Sandbox, transaction: unknown) {
  const answer = await post(sandbox, transaction)
  assert.deepEqual(answer.$summary, { total: 1, vote: 1, commit: 1 })
  assert.ok(answer.$streams !== undefined)
  return { umid: answer.$umid, streams: answer.$streams }
}

/** What a node puts behind an error. */
const ERROR_SUFFIX = / - Error [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Posts and expects this failure, in the shape that nodes give it once they have looked at the transaction. */
export async function fail(sandbox: Sandbox, transaction: unknown, error: string, vote: 0 | 1 = 0): Promise<void> {
  const answer = await post(sandbox, transaction)
  assert.match(answer.$umid, /^[0-9a-f]{64}$/)
  if (!error.startsWith('Init Contract Error')) assert.match(answer.$summary.errors?.[0] ?? '', ERROR_SUFFIX)
  const errors = answer.$summary.errors?.map((one) => one.replace(ERROR_SUFFIX, ''))
  assert.deepEqual({ ...answer.$summary, errors }, { total: 1, vote, commit: 0, errors: [error] })
  assert.equal('$streams' in answer, false)
}

/** Posts and expects this failure, in the shape that nodes give it before they have looked at the transaction. */
export async function failEarly(sandbox: Sandbox, transaction: unknown, error: string): Promise<void> {
  assert.deepEqual(await post(sandbox, transaction), earlyFailure(error))
}

export function earlyFailure(error: string) {
  const $summary = { total: 1, vote: 0, commit: 0, errors: [error] }
  return { $umid: '', $summary, $streams: { new: [], updated: [] } }
}

/** What errors begin with, or `committed`. */
export function outcomeOf(answer: Awaited<ReturnType<typeof post>>): string {
  return answer.$summary.errors?.[0]?.replace(ERROR_SUFFIX, '') ?? 'committed'
}
