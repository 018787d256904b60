import { Billhook, type ServiceInfo } from '@billhook/client'
import { type ReadonlySignal, signal } from '@preact/signals'
import type { KeyStatus } from '../keys/holder.js'
import { KeyError } from '../keys/key-error.js'
import { KeyThread } from '../keys/key-thread.js'
import { type Channel, openChannel } from './channel.js'
import { makeReady, type OnboardingStep } from './onboarding.js'

/** What the app is doing, before and besides the screens of the shop. */
export type Phase =
  | { readonly name: 'starting' }
  | { readonly name: 'failed'; readonly error: unknown }
  | { readonly name: 'welcome' }
  | { readonly name: 'locked'; readonly owner: string }
  | { readonly name: 'onboarding'; readonly owner: string; readonly step: OnboardingStep; readonly error: unknown }
  | { readonly name: 'ready'; readonly shop: Shop }

/** An open shop. */
export interface Shop {
  readonly owner: string
  readonly billhook: Billhook
  /** Null where somebody has an API key alone. */
  readonly identity: string | null
  /** The public key that signs; null where the service takes unsigned requests. */
  readonly signedBy: string | null
  /** Aborted when the app is locked. */
  readonly ended: AbortSignal
}

type OpenStatus = Extract<KeyStatus, { readonly state: 'open' }>

const TOUCH_EVERY_MS = 10_000

/** Opens and locks the app. */
export class Session {
  private readonly current = signal<Phase>({ name: 'starting' })
  readonly phase: ReadonlySignal<Phase> = this.current
  readonly keys: KeyThread
  private readonly channel: Channel
  private known: ServiceInfo | null = null
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

  /** What the service says of itself. */
  get info(): ServiceInfo {
    if (this.known === null) throw new Error('the service was not asked yet')
    return this.known
  }

  async start(): Promise<void> {
    this.current.value = { name: 'starting' }
    try {
      // Elsewhere browsers have no cryptography.
      if (!isSecureContext) throw new KeyError('insecure')
      this.known = await new Billhook({ url: this.url }).getInfo()
      await this.show(await this.keys.ask('status'))
    } catch (error) {
      this.current.value = { name: 'failed', error }
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
    void this.keys.ask('touch')
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

  private async prepare({ owner, identity, apiKey }: OpenStatus): Promise<void> {
    this.end.abort(new Error('the app was opened again'))
    this.end = new AbortController()
    const { signal } = this.end
    const report = (step: OnboardingStep) => {
      if (!signal.aborted) this.current.value = { name: 'onboarding', owner, step, error: null }
    }
    let signedBy = apiKey
    try {
      report('looking')
      if (identity !== null) {
        await makeReady({
          info: this.info,
          identity: this.keys.signer('identity', identity),
          unsigned: new Billhook({ url: this.url, owner }),
          signed: apiKey === null ? null : this.client(owner, apiKey),
          makeApiKey: async () => {
            signedBy = await this.keys.ask('makeApiKey')
            return signedBy
          },
          report,
          signal,
        })
      }
      const billhook = this.client(owner, signedBy)
      // An employee learns here that a key was revoked, not when a customer waits.
      if (identity === null) await billhook.listApiKeys({ signal })
      this.current.value = { name: 'ready', shop: { owner, billhook, identity, signedBy, ended: signal } }
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

  private client(owner: string, apiKey: string | null): Billhook {
    const signer = apiKey === null ? undefined : this.keys.signer('apiKey', apiKey)
    return new Billhook({ url: this.url, owner, signer })
  }
}
