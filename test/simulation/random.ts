import type { RandomFill } from '../../src/crypto/id.js'

const WARM_UP_ROUNDS = 12
const UINT32_RANGE = 2 ** 32
const GOLDEN = 0x9e37_79b9

/**
 * The simulation's only source of randomness: sfc32 (Chris Doty-Humphrey's Small Fast Counting generator). The same seed
 * and stream give the same numbers on every machine.
 */
export class Random {
  private a: number
  private b: number
  private c: number
  private counter = 1

  /** `seed` is a non-negative safe integer; streams of one seed are independent of one another. */
  constructor(seed: number, stream = 0) {
    this.a = (seed % UINT32_RANGE) | 0
    this.b = Math.floor(seed / UINT32_RANGE) | 0
    this.c = Math.imul(stream + 1, GOLDEN)
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) this.next()
  }

  /** An integer from 0 to 2³² − 1. */
  next(): number {
    const sum = (this.a + this.b + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum
    this.c |= 0
    return sum >>> 0
  }

  /** An integer from 0 to `limit` − 1. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit)
  }

  /** An integer from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  /** From 0 to below 1. */
  fraction(): number {
    return this.next() / UINT32_RANGE
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0]
  }

  /** One of the names, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    // The keys of the record are its names, which Object.keys does not say.
    const names = Object.keys(weights) as K[]
    let rest = this.fraction() * names.reduce((sum, name) => sum + weights[name], 0)
    for (const name of names) {
      rest -= weights[name]
      if (rest < 0) return name
    }
    throw new Error('there is nothing to choose from')
  }

  /** The values in another order. */
  shuffled<T>(values: readonly T[]): T[] {
    const order = values.map((value) => ({ value, at: this.next() }))
    order.sort((one, other) => one.at - other.at)
    return order.map(({ value }) => value)
  }

  readonly fill: RandomFill = (target) => {
    for (let at = 0; at < target.length; at += 1) target[at] = this.next() & 0xff
  }
}
