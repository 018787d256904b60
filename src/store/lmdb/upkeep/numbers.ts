import type { Numbers } from '../tables/keys.js'

const FIRST_BYTES = 1024

/** A set of small numbers, one bit each. */
export class Bits {
  private bytes = new Uint8Array(FIRST_BYTES)

  has(number: number): boolean {
    return (((this.bytes[number >>> 3] ?? 0) >> (number & 7)) & 1) === 1
  }

  add(number: number): void {
    const at = number >>> 3
    if (at >= this.bytes.length) {
      const grown = new Uint8Array(2 ** Math.ceil(Math.log2(at + 1)))
      grown.set(this.bytes)
      this.bytes = grown
    }
    this.bytes[at] = (this.bytes[at] ?? 0) | (1 << (number & 7))
  }
}

/** Numbers beyond are taken for damage, before they take memory. */
const NUMBER_MAX = 2 ** 31 - 1

/** The numbers of a kind that records have. */
export class UsedNumbers {
  private readonly bits = new Bits()
  count = 0
  greatest = 0

  /** What is wrong with a number that a record has; null when nothing is. */
  use(number: number): string | null {
    if (!Number.isInteger(number) || number < 1 || number > NUMBER_MAX) return 'is impossible'
    if (this.bits.has(number)) return 'is that of another record too'
    this.bits.add(number)
    this.count += 1
    this.greatest = Math.max(this.greatest, number)
    return null
  }

  has(number: number): boolean {
    return number <= this.greatest && this.bits.has(number)
  }
}

export type AllNumbers = Readonly<Record<keyof Numbers, UsedNumbers>>

export function noNumbers(): AllNumbers {
  return {
    owner: new UsedNumbers(),
    wallet: new UsedNumbers(),
    address: new UsedNumbers(),
    assignment: new UsedNumbers(),
    apiKey: new UsedNumbers(),
    walletSet: new UsedNumbers(),
    deposit: new UsedNumbers(),
  }
}
