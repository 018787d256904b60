import { parseArgs } from 'node:util'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { fuzzCurve } from './curve.js'
import { fuzzDocument } from './document.js'
import { type FuzzReport, FuzzViolation, reportLine } from './fuzz-report.js'
import { FuzzTarget } from './fuzz-target.js'
import { fuzzRawHttp } from './raw-http.js'
import { fuzzStructured } from './structured.js'

/*
 * `npm run fuzz -- --requests N --seed S`: hostile requests to the real service on both HTTP engines: mutated bytes over
 * sockets, hostile values in bodies and paths, and requests drawn from the OpenAPI document, a third each. Ends with 1 and what was seen at the
 * first violation. The same seed makes the same requests, apart from times and signatures. With `--curve`, hostile
 * signatures to key tables and both engines instead, N of them.
 */

const REQUESTS = '100000'
const SEED_LIMIT = 2 ** 32

type Fuzz = (target: FuzzTarget, requests: number, seed: number) => Promise<FuzzReport>
const FUZZERS: readonly Fuzz[] = [fuzzRawHttp, fuzzStructured, fuzzDocument]

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: REQUESTS },
    seed: { type: 'string' },
    curve: { type: 'boolean', default: false },
  },
})
const requests = wholeNumber('requests', values.requests)
const seed = values.seed === undefined ? Date.now() % SEED_LIMIT : wholeNumber('seed', values.seed)
const share = Math.ceil(requests / (HTTP_ENGINES.length * FUZZERS.length))

say(`seed ${seed}`)
try {
  if (values.curve) say(JSON.stringify(await fuzzCurve(requests, seed)))
  for (const engine of values.curve ? [] : HTTP_ENGINES) {
    const target = await FuzzTarget.start(engine)
    try {
      for (const fuzz of FUZZERS) {
        const startedAt = performance.now()
        const report = await fuzz(target, share, seed)
        const seconds = (performance.now() - startedAt) / 1000
        say(`${reportLine(report)}; ${Math.round(report.requests / seconds)} a second`)
      }
    } finally {
      await target.stop()
    }
  }
  say('no violation')
} catch (error) {
  if (!(error instanceof FuzzViolation)) throw error
  say(`VIOLATION: ${error.message}`)
  process.exitCode = 1
}
// Not left to the event loop: after a million requests the clients once kept it busy long after the last answer.
process.exit()

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new Error(`--${name} must be a whole number`)
  return value
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
