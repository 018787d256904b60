import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A collection takes long where much is held, as in a process of many tests: most of the time is the work's. */
const PAUSE_MS = 50
const PAUSE_TIMES = 20

/**
 * What `work` holds at most beside what was held before, in bytes of the heap and of buffers, and its result. Garbage
 * is collected before each sample: how late a busy machine collects it, or gives pages back, says nothing of the code.
 */
export async function mostHeld<T>(work: () => Promise<T>): Promise<{ readonly bytes: number; readonly result: T }> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held = () => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = held()
  let most = before
  let samples = 0
  let watch: NodeJS.Timeout
  const sample = () => {
    const startedAt = performance.now()
    most = Math.max(most, held())
    samples += 1
    watch = setTimeout(sample, Math.max(PAUSE_MS, PAUSE_TIMES * (performance.now() - startedAt)))
  }
  watch = setTimeout(sample, PAUSE_MS)
  try {
    const result = await work()
    if (samples === 0) throw new Error('the work ended before the first sample')
    return { bytes: most - before, result }
  } finally {
    clearTimeout(watch)
  }
}
