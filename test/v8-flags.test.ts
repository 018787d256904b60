import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

const flags = new URL('../src/v8-flags.js', import.meta.url).href
const NURSERY_OF_THREAD_MIB = 6

/**
 * Keeps objects for a while, so that the nursery grows as far as it may, and prints the most that it took, in MiB. How fast it
 * grows depends on what else the machine does, so it goes on for some rounds while the nursery is not beyond 32 MiB.
 */
const grow = `
  let kept = []
  let most = 0
  for (let n = 0; n < 3_000_000 || (n < 15_000_000 && most <= 32 * 2 ** 20); n += 1) {
    kept.push({ n })
    if (kept.length > 200_000) kept = []
    if (n % 100_000 === 0) most = Math.max(most, require('node:v8').getHeapSpaceStatistics().find(isNursery).space_size)
  }
  function isNursery({ space_name: name }) { return name === 'new_space' }
  console.log(Math.round(most / 2 ** 20))`

/** In some runs on Node 26.12 the nursery of a program that keeps little never grows, and that of a thread passes its limit. */
const skip = Number.parseInt(process.versions.node, 10) >= 26 && 'V8 of Node 26 sizes nurseries in its own way'

test('the nursery of the command line is that of the main thread, and threads keep to their own limits', {
  skip,
}, () => {
  const program = `
    import(${JSON.stringify(flags)}).then(({ limitHeapGrowth }) => {
      limitHeapGrowth()
      ${grow}
      const limits = { maxYoungGenerationSizeMb: ${NURSERY_OF_THREAD_MIB} }
      new (require('node:worker_threads').Worker)(${JSON.stringify(grow)}, { eval: true, resourceLimits: limits })
    })`
  const printed = execFileSync(process.execPath, ['--max-semi-space-size=32', '-e', program], { encoding: 'utf8' })
  const [main = 0, thread = 0] = printed.trim().split('\n').map(Number)
  assert.ok(main > 32, `main thread: ${main} MiB`)
  assert.ok(thread > 0 && thread <= NURSERY_OF_THREAD_MIB, `thread: ${thread} MiB`)
})
