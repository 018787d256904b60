import { type Rate, type ReadSet, rateSetOf } from '../domain/rate-set.js'
import { isPresent, type RateTerms, type RateVerdict } from '../domain/rates.js'
import { handlers } from '../http/endpoints.js'
import { failureAnswer, readJsonObject } from '../http/json.js'
import { takenAnswer } from '../http/routes/rates.js'
import type { Logger } from '../log.js'
import { type Cancel, pause, type Scheduler } from '../scheduler.js'
import type { Store } from '../store/store.js'

/** What a sandbox begins with. Nothing in it has any value, so these need not be right. */
const FIRST_RATES = {
  EUR: { ETH: '2950.1', TRX: '0.2511', USDC: '0.92', USDT: '0.92' },
  USD: { ETH: '3206.63', TRX: '0.2729', USDC: '1', USDT: '1' },
} as const
/** The part of the greatest age after which the rates are dated anew. */
const RENEWALS = 4
/** Two sets have two dates, in whole milliseconds. */
const NEXT_DATE_MS = 2

export interface SandboxRatesParts {
  readonly store: Pick<Store, 'rates' | 'readClock'>
  readonly take: (origin: 'sandbox', read: ReadSet, terms: RateTerms) => Promise<RateVerdict>
  readonly maxAgeMs: number
  /** Whether its rates come from nowhere else: then there are some from the start, and they never get old. */
  readonly areOwn: boolean
  readonly scheduler: Scheduler
  readonly log: Pick<Logger, 'error'>
}

/** The rates of a sandbox: its own ones stay as they are until somebody sets others, and are dated anew before they get old. */
export class SandboxRates {
  private cancel: Cancel = () => {}
  private underWay: Promise<void> = Promise.resolve()
  private isStopped = false
  private readonly terms: RateTerms

  constructor(private readonly parts: SandboxRatesParts) {
    // Who sets rates in a sandbox means them.
    this.terms = { jump: null, maxAgeMs: parts.maxAgeMs }
  }

  /** Resolves when there are rates. */
  async start(): Promise<void> {
    if (!this.parts.areOwn) return
    this.underWay = this.renew()
    await this.underWay
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.cancel()
    await this.underWay
  }

  /** Sets all rates, from now on. A coin that is left out has none. */
  async set(rates: unknown): Promise<{ readonly at: number; readonly verdict: RateVerdict }> {
    const at = await this.nextDate()
    const verdict = await this.parts.take('sandbox', rateSetOf({ at, rates }), this.terms)
    return { at, verdict }
  }

  private async renew(): Promise<void> {
    const { maxAgeMs, scheduler, log } = this.parts
    try {
      const present = await this.present()
      await this.set(present.length === 0 ? FIRST_RATES : byCurrency(present))
    } catch (error) {
      log.error({ err: error }, 'the sandbox failed to renew its rates')
    }
    if (this.isStopped) return
    this.cancel = scheduler.after(maxAgeMs / RENEWALS, () => {
      this.underWay = this.renew()
    })
  }

  private async present(): Promise<readonly Rate[]> {
    const table = await this.parts.store.rates.current()
    return table.known.filter((known) => isPresent(known, table))
  }

  private async nextDate(): Promise<number> {
    const { store, scheduler } = this.parts
    const now = await store.readClock()
    if (now !== (await store.rates.current()).at) return now
    await pause(scheduler, NEXT_DATE_MS, new AbortController().signal)
    return await store.readClock()
  }
}

function byCurrency(rates: readonly Rate[]): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const currencies = new Set(rates.map(({ currency }) => currency))
  return Object.fromEntries(
    [...currencies].map((currency) => [
      currency,
      Object.fromEntries(rates.filter((one) => one.currency === currency).map(({ coin, rate }) => [coin, rate])),
    ]),
  )
}

export function sandboxRateHandlers(rates: Pick<SandboxRates, 'set'>) {
  return handlers({
    'POST /sandbox/rates': async (request) => {
      const body = readJsonObject(request.body)
      return body.ok ? takenAnswer(await rates.set(body.value['rates'])) : failureAnswer(body.failure)
    },
  })
}
