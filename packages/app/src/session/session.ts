import type { ServiceInfo } from '@billhook/client'
import { type ReadonlySignal, signal } from '@preact/signals'
import { closedStatus } from '../keys/closed-status.js'
import type { KeyStatus } from '../keys/holder.js'
import { KeyError } from '../keys/key-error.js'
import { KeyThread } from '../keys/key-thread.js'
import { Database } from '../storage/database.js'
import { vaultPlace } from '../storage/vault-place.js'
import { type Channel, openChannel } from './channel.js'
import { loaded } from './loaded.js'
import type { OnboardingStep } from './onboarding.js'
import type { OpenStatus, Shop } from './opening.js'

/** What the app is doing, before and besides the screens of the shop. */
export type Phase =
  | { readonly name: 'starting' }
  | { readonly name: 'failed'; readonly error: unknown }
  | { readonly name: 'welcome' }
  | { readonly name: 'locked'; readonly owner: string }
  | { readonly name: 'onboarding'; readonly owner: string; readonly step: OnboardingStep; readonly error: unknown }
  | { readonly name: 'ready'; readonly shop: Shop }

const TOUCH_EVERY_MS = 10_000

/** Opens and locks the app. */
export class Session {
  private readonly current = signal<Phase>({ name: 'starting' })
  readonly phase: ReadonlySignal<Phase> = this.current
  readonly keys: KeyThread
  private readonly channel: Channel
  private readonly vault = vaultPlace(Database.open())
  private readonly known = signal<ServiceInfo | null>(null)
  /** What the service says of itself; null until it has. */
  readonly service: ReadonlySignal<ServiceInfo | null> = this.known
  private learning: Promise<ServiceInfo> | null = null
  private end = new AbortController()
  private touchedAt = 0

  /** `url`: the base address of the service. */
  constructor(readonly url: string) {
    this.keys = new KeyThread(() => this.closed())
    // What another tab has locked is locked here, too.
    this.channel = openChannel(async () => {
      await this.keys.ask('lock')
      await this.closed()
    })
  }

  /** The same, where it was waited for. */
  get info(): ServiceInfo {
    if (this.known.value === null) throw new Error('the service was not asked yet')
    return this.known.value
  }

  /**
   * Shows what this browser holds, which waits for nothing of the network: the thread of the keys is loaded meanwhile, and has opened
   * nothing yet.
   */
  async start(): Promise<void> {
    this.current.value = { name: 'starting' }
    try {
      // Elsewhere browsers have no cryptography.
      if (!isSecureContext) throw new KeyError('insecure')
      const learned = this.learn()
      learned.catch(() => undefined)
      await this.show(await closedStatus(this.vault))
      await learned
    } catch (error) {
      this.fail(error)
    }
  }

  private fail(error: unknown): void {
    // Who opens the shop meanwhile is told there.
    if (this.phase.value.name !== 'onboarding') this.current.value = { name: 'failed', error }
  }

  /** Asks the service once, and again after a failure. */
  private async learn(): Promise<ServiceInfo> {
    this.learning ??= opening().then(({ infoOf }) => infoOf(this.url))
    try {
      this.known.value = await this.learning
      return this.known.value
    } catch (error) {
      this.learning = null
      throw error
    }
  }

  /** Throws a `KeyError`. */
  async create(phrase: string, onboardingName: string, passphrase: string): Promise<void> {
    await this.show(await this.keys.ask('create', phrase, onboardingName, passphrase))
  }

  /** Throws a `KeyError`. */
  async takeKey(owner: string, privateKey: string, passphrase: string): Promise<void> {
    await this.show(await this.keys.ask('takeKey', owner, privateKey, passphrase))
  }

  /** Throws a `KeyError`. */
  async unlock(passphrase: string): Promise<void> {
    await this.show(await this.keys.ask('unlock', passphrase))
  }

  async lock(): Promise<void> {
    await this.keys.ask('lock')
    this.channel.tell()
    await this.closed()
  }

  async forget(): Promise<void> {
    await this.keys.ask('forget')
    this.channel.tell()
    await this.closed()
  }

  /** Onboards again after a failure. */
  async retry(): Promise<void> {
    await this.show(await this.keys.ask('status'))
  }

  /** Somebody is there. */
  touch(): void {
    const now = Date.now()
    // A clock that was set back is no reason to say nothing for hours.
    if (Math.abs(now - this.touchedAt) < TOUCH_EVERY_MS) return
    this.touchedAt = now
    // A thread that is missing has nothing open.
    this.keys.ask('touch').catch(() => undefined)
  }

  private async show(status: KeyStatus): Promise<void> {
    if (status.state === 'empty') this.current.value = { name: 'welcome' }
    else if (status.state === 'locked') this.current.value = { name: 'locked', owner: status.owner }
    else await this.prepare(status)
  }

  private async closed(): Promise<void> {
    this.end.abort(new Error('the app was locked'))
    await this.show(await this.keys.ask('status'))
  }

  private async prepare(status: OpenStatus): Promise<void> {
    const { owner } = status
    this.end.abort(new Error('the app was opened again'))
    this.end = new AbortController()
    const { signal } = this.end
    const report = (step: OnboardingStep) => {
      if (!signal.aborted) this.current.value = { name: 'onboarding', owner, step, error: null }
    }
    try {
      report('looking')
      const { openShop } = await opening()
      const shop = await openShop({ url: this.url, info: await this.learn(), keys: this.keys, status, report, signal })
      this.current.value = { name: 'ready', shop }
    } catch (error) {
      if (signal.aborted) return
      const { value } = this.current
      this.current.value = {
        name: 'onboarding',
        owner,
        step: value.name === 'onboarding' ? value.step : 'looking',
        error,
      }
    }
  }
}

/** What has the client of the service is loaded behind the first screen. */
function opening(): Promise<typeof import('./opening.js')> {
  return loaded(import('./opening.js'))
}
