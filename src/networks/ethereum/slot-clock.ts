import type { BlockHead } from '../../domain/block.js'

/** Blocks in a row from which it is concluded that a chain has slots. */
const SEEN_MIN = 8
const SEEN_MAX = 64
/** With shorter slots nearly every poll finds a block, and with longer ones a wrong conclusion would cost more than calls. */
const SLOT_MIN_MS = 3000
const SLOT_MAX_MS = 15_000
/** Blocks come a little earlier or later than usual. */
const MARGIN_MS = 500

/** A block that followed the one before it. */
interface Step {
  /** Between the times of the two blocks. */
  readonly stepMs: number
  /** From the time of the block until it was seen. */
  readonly delayMs: number
}

/**
 * Learns at which times a chain can have a new block, so that it is not asked at others. It concludes nothing where blocks do
 * not keep to slots, as those that are made when somebody sends.
 */
export class SlotClock {
  private last: BlockHead | null = null
  private steps: Step[] = []

  /** A head was told at a time of this machine's clock. */
  saw(head: BlockHead, nowMs: number): void {
    const { last } = this
    if (last !== null && head.height <= last.height) return
    const isNext = last !== null && head.height === last.height + 1
    if (isNext)
      this.steps = [...this.steps, { stepMs: head.timeMs - last.timeMs, delayMs: nowMs - head.timeMs }].slice(-SEEN_MAX)
    else this.steps = []
    this.last = head
  }

  /** Whether no block can have followed the last one yet. */
  isTooEarly(nowMs: number): boolean {
    const { last, steps } = this
    if (last === null || steps.length < SEEN_MIN) return false
    const slotMs = Math.min(...steps.map(({ stepMs }) => stepMs))
    if (slotMs < SLOT_MIN_MS || slotMs > SLOT_MAX_MS || steps.some(({ stepMs }) => stepMs % slotMs !== 0)) return false
    const delays = steps.map(({ delayMs }) => delayMs)
    const earliestMs = Math.min(...delays)
    // Of a clock that does not go with the chain nothing can be concluded.
    if (Math.max(...delays) - earliestMs > slotMs) return false
    const sinceMs = nowMs - last.timeMs
    return sinceMs >= earliestMs && sinceMs < slotMs + earliestMs - MARGIN_MS
  }
}
