import { isApart, runApart, signalsOfParent } from '../../src/cli/apart.js'

/*
 * Runs itself in a child, and prints how that ended:
 *
 *     apart-process.js code <n>            It ends with a code.
 *     apart-process.js signal <name>       A signal ends it.
 *     apart-process.js stopped             It ends with 143 at the second signal to stop that it hears of.
 */

const [how = '', what = ''] = process.argv.slice(2)
if (!isApart()) {
  const apart = await runApart((signal, received) => process.on(signal, received))
  process.stdout.write(`${JSON.stringify(apart)}\n`)
  process.exit(0)
}
if (how === 'code') process.exit(Number(what))
if (how === 'signal') process.kill(process.pid, what)
let heard = 0
signalsOfParent()('SIGTERM', () => {
  heard += 1
  process.stdout.write(`heard ${heard}\n`)
  if (heard === 2) process.exit(143)
})
setInterval(() => {}, 60_000)
process.stdout.write(`child ${process.pid}\n`)
