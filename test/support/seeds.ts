import { randomInt } from 'node:crypto'

/** How many seeds beside the fixed one a random test plays, each another one every time. CI plays some. */
const FRESH = Number(process.env['TEST_FRESH_SEEDS'] ?? '0')
const FRESH_SEEDS = 2 ** 40

/** The seeds of a random test: one that is always the same, and fresh ones on request. */
export function seedsOf(fixed: number): readonly number[] {
  return [fixed, ...Array.from({ length: FRESH }, () => randomInt(FRESH_SEEDS))]
}
