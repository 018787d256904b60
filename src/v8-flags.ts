/**
 * Flags of V8 that the program changes while it runs. While a flag differs from its default, V8 rejects what was compiled
 * under the default, and that is all built-in modules of Node: a start with a worker thread takes 25 ms more.
 */

import { setFlagsFromString } from 'node:v8'

/**
 * How far the heap may outgrow the memory in use, in percent, before it is collected. V8's default is four times as
 * much: under a mixed load 25 MiB in use took 100 MiB instead of 50, at the same speed.
 */
const HEAP_GROWING_PERCENT = 100

// The command line's flag has sized the nursery of this thread, which is there before the program. The threads that follow have
// limits of their own, which the flag would override. 0 is the default, so main.ts imports this module first.
setFlagsFromString('--max-semi-space-size=0')

/** Keeps the heap small from now on. Call it after the start, when modules and threads are loaded. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
}
