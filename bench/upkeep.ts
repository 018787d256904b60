import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFileMib, fillPaidStore } from './paid-store.js'
import { projectRoot } from './project-root.js'
import { say } from './service-process.js'

/*
 * What a check costs, and stores for `bench/console.ts`:
 *
 *     node dist/bench/upkeep.js fill <dir> <count>     count invoices and as many deposits
 *     node dist/bench/upkeep.js check <dir>            how long a check takes, and its memory
 *
 * The cost of backups is a part of the benchmarks: `npm run bench -- --only backup`.
 */

const POLL_MS = 20
const KIB_OF_MIB = 1024

const main = join(projectRoot, 'dist/src/main.js')

async function measureCheck(place: string): Promise<void> {
  const startedAt = performance.now()
  const child = command('check', '--data', place)
  let peakKib = 0
  const poll = setInterval(() => {
    peakKib = Math.max(peakKib, peakOf(child))
  }, POLL_MS)
  const [code] = await once(child, 'close')
  clearInterval(poll)
  const seconds = (performance.now() - startedAt) / 1000
  say(`check: ${seconds.toFixed(1)} s, at most ${Math.round(peakKib / KIB_OF_MIB)} MiB of its own, exit code ${code}`)
}

/** The memory of a process without the pages of mapped files, KiB. */
function peakOf({ pid }: ChildProcess): number {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function command(...argv: string[]): ChildProcess {
  return spawn(process.execPath, [main, ...argv], { stdio: ['ignore', 'inherit', 'inherit'] })
}

const [what, directory = '', count = '0'] = process.argv.slice(2)
if (what === 'fill') {
  await fillPaidStore(directory, Number(count))
  say(`${count} invoices and deposits, ${Math.round(dataFileMib(directory))} MiB`)
} else if (what === 'check') await measureCheck(directory)
else say('See the beginning of bench/upkeep.ts.')
