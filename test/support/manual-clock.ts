import type { Clock } from '../../src/clock.js'

/** 14 November 2023, 22:13:20 UTC: a time that is easy to recognise in a failing test. */
export const START_MS = 1_700_000_000_000

/** A clock that moves only when the test moves it, in either direction. */
export class ManualClock implements Clock {
  constructor(private nowMs: number = START_MS) {}

  now(): number {
    return this.nowMs
  }

  advance(ms: number): void {
    this.nowMs += ms
  }

  set(nowMs: number): void {
    this.nowMs = nowMs
  }
}
