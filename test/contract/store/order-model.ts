/** An option as the model keeps it: its amount, and what came for it. In tenths of a coin. */
interface ModelOption {
  readonly amount: number
  readonly confirmed: number
  readonly pending: number
}

/** The end of an option, which the model decides. */
interface ModelEnd {
  voidedAt: number | null
  hasOutlived: boolean
  /** Whether the order voided it when it needed it no more. */
  isSpared: boolean
}

type ModelStanding = 'none' | 'partly' | 'paid'

/** What one asks a store about, too. */
export interface ModelAnswer {
  readonly status: string
  readonly isVoid: boolean
  readonly isAccepted: boolean
  readonly voided: readonly boolean[]
}

/**
 * An order by the words of decisions 15, over plain numbers: nothing that follows from its payments is kept but how it ended. Nothing
 * else is on its wallets.
 */
export class ModelOrder {
  /** What came for each option, by payment. */
  readonly payments = new Map<string, { readonly option: number; readonly tenths: number; readonly kind: string }>()
  readonly events = ['order.created']
  private readonly ends: ModelEnd[]
  private standing: ModelStanding = 'none'
  private isAccepted = false
  private isVoid = false
  private isExpired = false

  constructor(
    private readonly amounts: readonly number[],
    private readonly decimals: readonly number[],
    private readonly expiresAt: number,
  ) {
    this.ends = amounts.map(() => ({ voidedAt: null, hasOutlived: false, isSpared: false }))
  }

  /** The options with what came for each. */
  private options(): readonly ModelOption[] {
    return this.amounts.map((amount, option) => {
      const own = [...this.payments.values()].filter((one) => one.option === option)
      const sumOf = (kind: string) => own.filter((one) => one.kind === kind).reduce((sum, one) => sum + one.tenths, 0)
      return { amount, confirmed: sumOf('confirmed'), pending: sumOf('pending') }
    })
  }

  /** How much of the price has come, as a multiple of what all amounts divide. */
  private shareOf(part: (option: ModelOption) => number): { readonly over: number; readonly whole: number } {
    const whole = this.amounts.reduce((product, amount) => product * amount, 1)
    const over = this.options().reduce((sum, option) => sum + (part(option) * whole) / option.amount, 0)
    return { over, whole }
  }

  private standingNow(): ModelStanding {
    const { over, whole } = this.shareOf(({ confirmed }) => confirmed)
    if (over >= whole) return 'paid'
    return over > 0 ? 'partly' : 'none'
  }

  /** Decides what is due to expire. */
  expire(nowMs: number): void {
    if (this.isExpired || nowMs < this.expiresAt) return
    this.isExpired = true
    for (const [i, { confirmed, pending }] of this.options().entries()) {
      const end = this.ends[i]
      if (end === undefined || end.voidedAt !== null || end.hasOutlived) continue
      if (confirmed + pending > 0) end.hasOutlived = true
      else end.voidedAt = this.expiresAt
    }
    this.endIfNothingIsLeft('order.expired')
  }

  /** A payment was reported. */
  report(key: string, option: number, tenths: number, kind: string, nowMs: number): void {
    const known = this.payments.get(key)
    if (known?.kind === kind || (known === undefined && kind === 'dropped')) return
    if (known?.kind === 'confirmed' && kind === 'pending') return
    this.payments.set(key, { option, tenths, kind })
    if (kind !== 'pending') this.review(kind === 'confirmed', nowMs, option)
  }

  private review(isConfirmed: boolean, nowMs: number, option: number): void {
    const before = this.standing
    this.standing = this.standingNow()
    if (!this.isAccepted) {
      if (before !== this.standing) {
        const isLess = before === 'paid' || this.standing === 'none'
        this.events.push(this.standing === 'paid' ? 'order.paid' : isLess ? 'order.unpaid' : 'order.partly')
      }
      if (this.standing === 'paid') this.spareOthers(nowMs)
      else if (before === 'paid') this.takeBack(nowMs)
    }
    const { over, whole } = this.shareOf(({ confirmed }) => confirmed)
    // What is too much, in the smallest amount that may be asked for in the coin of the payment.
    const units = (over - whole) * (this.amounts[option] ?? 0) * 10 ** ((this.decimals[option] ?? 0) - 1)
    if (isConfirmed && units >= whole) this.events.push('order.overpaid')
  }

  private spareOthers(nowMs: number): void {
    for (const [i, { amount, confirmed }] of this.options().entries()) {
      const end = this.ends[i]
      if (end === undefined || end.voidedAt !== null || confirmed >= amount) continue
      end.voidedAt = nowMs
      end.isSpared = true
    }
  }

  private takeBack(nowMs: number): void {
    for (const [i, { confirmed, pending }] of this.options().entries()) {
      const end = this.ends[i]
      if (end?.isSpared !== true) continue
      end.isSpared = false
      const isPast = nowMs >= this.expiresAt
      if (isPast && confirmed + pending === 0) continue
      end.voidedAt = null
      end.hasOutlived = isPast
    }
    this.endIfNothingIsLeft(nowMs >= this.expiresAt ? 'order.expired' : 'order.voided')
  }

  private endIfNothingIsLeft(event: string): void {
    if (this.isVoid || this.isAccepted || this.standingNow() === 'paid') return
    if (this.ends.some(({ voidedAt }) => voidedAt === null)) return
    this.isVoid = true
    this.events.push(event)
  }

  /** The code of a refusal, or null. */
  void(nowMs: number): string | null {
    this.expire(nowMs)
    if (this.isVoid) return null
    const { over, whole } = this.shareOf(({ confirmed, pending }) => confirmed + pending)
    if (this.isAccepted || over >= whole) return 'order_paid'
    for (const end of this.ends) end.voidedAt ??= nowMs
    this.endIfNothingIsLeft(nowMs >= this.expiresAt ? 'order.expired' : 'order.voided')
    return null
  }

  accept(nowMs: number): string | null {
    this.expire(nowMs)
    if (this.isAccepted) return null
    if (this.isVoid) return 'order_void'
    this.isAccepted = true
    this.events.push('order.accepted')
    this.spareOthers(nowMs)
    return null
  }

  answer(): ModelAnswer {
    const standing = this.isAccepted ? 'paid' : this.standingNow()
    const ended = this.isVoid ? (this.events.includes('order.expired') ? 'expired' : 'void') : 'unpaid'
    return {
      status: standing === 'none' ? ended : standing,
      isVoid: this.isVoid,
      isAccepted: this.isAccepted,
      voided: this.ends.map(({ voidedAt }) => voidedAt !== null),
    }
  }
}
