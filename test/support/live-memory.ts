import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const SAMPLE_MS = 50

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
  const watch = setInterval(() => {
    samples += 1
    most = Math.max(most, held())
  }, SAMPLE_MS)
  try {
    const result = await work()
    if (samples === 0) throw new Error('the work ended before the first sample')
    return { bytes: most - before, result }
  } finally {
    clearInterval(watch)
  }
}
