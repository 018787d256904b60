import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | null = null

/**
 * Collects young objects now, in a millisecond or two however large the heap is, and with them the memory outside of the heap
 * that they hold. V8 does so by itself when objects fill its nursery. A stream makes few of them, and each of its pieces holds
 * 64 KiB outside, of which V8 lets tens of megabytes gather.
 */
export function collectYoung(): void {
  collect ??= collector()
  collect()
}

/** Node offers the collector to contexts that are made while this flag is set. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('globalThis.gc') as ((options: { readonly type: 'minor' }) => void) | undefined
  setFlagsFromString('--no-expose-gc')
  return () => gc?.({ type: 'minor' })
}
