import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { say } from './service-process.js'

/*
 * All benchmarks, one after the other: `npm run bench`. With `--tiny` each runs just long enough to show that it works,
 * and its figures mean nothing.
 */

const isTiny = process.argv.includes('--tiny')
const isWrkThere = spawnSync('wrk', ['--version']).error === undefined

const benchmarks: readonly { readonly name: string; readonly argv: readonly string[]; readonly needsWrk?: true }[] = [
  { name: 'micro', argv: isTiny ? ['10'] : [] },
  { name: 'scale', argv: isTiny ? ['2000', '50'] : [] },
  { name: 'signed-creates', argv: isTiny ? ['1', '32', '50', '5'] : [], needsWrk: true },
]

for (const { name, argv, needsWrk } of benchmarks) {
  say(`== ${name}${isTiny ? ' (tiny: the figures mean nothing)' : ''}`)
  if (needsWrk && !isWrkThere) {
    say("skipped: it needs wrk, which is in Debian's package of that name")
    continue
  }
  const script = new URL(`./${name}.js`, import.meta.url).pathname
  const [code] = await once(spawn(process.execPath, [script, ...argv], { stdio: 'inherit' }), 'exit')
  if (code !== 0) process.exit(1)
}
