import { signal } from '@preact/signals'
import { isUndecided, type Pending } from '../invoices/outbox.js'
import { answered, FIRST_STATE, type TillState } from './till-state.js'

interface Kept<T> {
  read(): Promise<T>
  write(value: T): Promise<void>
}

export interface TillParts {
  readonly statePlace: Kept<TillState>
  readonly unitPlace: Kept<string>
  readonly newKey: () => string
  /** Creates an order of this price, and answers its id. */
  readonly create: (price: { readonly amount: string; readonly currency: string }, key: string) => Promise<string>
}

/** A till: one order after the other. */
export class Till {
  readonly state = signal<TillState>(FIRST_STATE)
  /** What prices are in; empty until somebody has chosen. */
  readonly unit = signal('')
  /** Why the last order was refused. */
  readonly failure = signal<unknown>(null)

  constructor(private readonly parts: TillParts) {}

  async load(): Promise<void> {
    const { statePlace, unitPlace } = this.parts
    const [state, unit] = await Promise.all([statePlace.read(), unitPlace.read()])
    this.state.value = state
    this.unit.value = unit
  }

  async chooseUnit(unit: string): Promise<void> {
    this.unit.value = unit
    await this.told(() => this.parts.unitPlace.write(unit))
  }

  /** Asks for an amount, once however often somebody taps. Without an answer it stays sent, and the outbox goes on. */
  async charge(amount: string): Promise<void> {
    if (this.state.value.step !== 'amount') return
    const key = this.parts.newKey()
    this.failure.value = null
    try {
      // Before it is sent: a reload finds it.
      await this.go({ step: 'sent', key })
    } catch (error) {
      this.failure.value = error
      this.state.value = FIRST_STATE
      return
    }
    try {
      const id = await this.parts.create({ amount, currency: this.unit.value }, key)
      await this.go(answered(this.state.value, key, id))
    } catch (error) {
      if (isUndecided(error)) return
      this.failure.value = error
      await this.go(answered(this.state.value, key, null))
    }
  }

  /** What the outbox has got an answer to. */
  async onCreated({ key }: Pending, id: string): Promise<void> {
    await this.go(answered(this.state.value, key, id))
  }

  async onRefused({ key }: Pending, error: unknown): Promise<void> {
    const next = answered(this.state.value, key, null)
    if (next === this.state.value) return
    this.failure.value = error
    await this.go(next)
  }

  /** The customer's coin, as an invoice of the order; null to choose again. It is shown when it is kept: the customer may scan at once. */
  async choose(order: string, invoice: string | null): Promise<void> {
    const before = this.state.value
    const chosen: TillState = { step: 'order', order, invoice }
    await this.told(() => this.parts.statePlace.write(chosen))
    // Nobody has gone on meanwhile.
    if (this.state.value === before) this.state.value = chosen
  }

  /** Ready for the next customer. */
  async next(): Promise<void> {
    this.failure.value = null
    await this.told(() => this.go(FIRST_STATE))
  }

  /** What could not be kept is so all the same until a reload, and the till says why. */
  private async told(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.failure.value = error
    }
  }

  private async go(state: TillState): Promise<void> {
    if (state === this.state.value) return
    this.state.value = state
    await this.parts.statePlace.write(state)
  }
}
