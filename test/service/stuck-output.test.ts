import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ask, pushEvents } from '../chaos/http-client.js'
import { command } from '../cli/served.js'
import { type Ending, endChild, untilLine } from '../support/child-process.js'
import { freePort } from '../support/free-port.js'
import { notTraceable } from '../support/programs.js'
import { GATEWAY_SECRET } from '../support/service-fixture.js'
import { runSh } from '../support/shell.js'
import { noSmallDisk, smallDisk } from '../support/small-disk.js'
import { noStuckPipe, type StuckPipe, stuckPipe } from '../support/stuck-pipe.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

/*
 * What a service says, it says to somebody who may not listen: the disk of its log is full, its reader has stopped or is gone.
 * In each of these states it starts, serves and ends. Nobody reads its output here, so it is asked over HTTP.
 */

const main = new URL('../../src/main.js', import.meta.url).pathname
const POLL_MS = 20
/** Far longer than a start, or an end within its time, takes. */
const PATIENCE_MS = 60_000
/** Each leaves a line in the log. */
const REQUESTS = 200
const SPACE_LEFT_BYTES = 4096

interface Running {
  readonly child: ChildProcess
  readonly url: string
  readonly metricsUrl: string
}

/** Descriptors of the service. */
interface Output {
  readonly stdout: number
  readonly stderr: number
}

/** A state, and what it leaves behind. */
interface State {
  readonly skip?: string | false
  readonly output: (t: TestContext) => Output
  readonly losesLines: boolean
}

async function until<T>(probe: () => Promise<T | null | false>): Promise<T> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
    const found = await probe()
    if (found !== null && found !== false) return found
    await pause(POLL_MS)
  }
  assert.fail('it did not happen')
}

/** Starts a service, and closes its descriptors in this process. */
async function start(t: TestContext, { stdout, stderr }: Output, data: string, more: Record<string, string> = {}) {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const child = spawn(process.execPath, [main, 'serve', '--port', String(port), '--data', data], {
    env: {
      PATH: process.env['PATH'],
      BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET,
      BILLHOOK_VERIFY_THREADS: '1',
      BILLHOOK_LOG: 'debug',
      BILLHOOK_METRICS_PORT: String(metricsPort),
      ...more,
    },
    stdio: ['ignore', stdout, stderr],
  })
  for (const fd of new Set([stdout, stderr])) closeSync(fd)
  t.after(() => endChild(child))
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    assert.equal(child.exitCode, null, 'it did not start')
    return (await ask('GET', `${url}/healthz`))?.status === 200
  })
  return { child, url, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` }
}

async function requests({ url }: Running): Promise<void> {
  for (let n = 0; n < REQUESTS; n += 1) assert.equal((await ask('GET', `${url}/api/info`))?.status, 200)
}

async function linesLost({ metricsUrl }: Running): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  return Number(/^billhook_log_lines_lost_total (\d+)$/m.exec(text)?.[1])
}

/** How it ends, if it does. */
function ended({ child }: Running): Promise<Ending> {
  return until(async () => (child.exitCode === null && child.signalCode === null ? null : true)).then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
  }))
}

const nowhere = () => openSync('/dev/null', 'w')
const full = () => openSync('/dev/full', 'w')
/** A pipe that is full until the end of the test. */
function pipe(t: TestContext): StuckPipe {
  const stuck = stuckPipe()
  t.after(() => stuck.remove())
  return stuck
}

function onFullDisk(t: TestContext): number {
  const disk = smallDisk(1 << 20)
  const fd = openSync(join(disk.path, 'log'), 'a')
  disk.fill(0)
  t.after(() => disk.remove())
  return fd
}

const states: Readonly<Record<string, State>> = {
  'standard error is full': { output: () => ({ stdout: nowhere(), stderr: full() }), losesLines: true },
  'standard output is full': { output: () => ({ stdout: full(), stderr: nowhere() }), losesLines: false },
  'both are full': { output: () => ({ stdout: full(), stderr: full() }), losesLines: true },
  'the disk of the log is full': {
    skip: noSmallDisk,
    output: (t) => ({ stdout: nowhere(), stderr: onFullDisk(t) }),
    losesLines: true,
  },
  'nobody reads the pipe of standard error': {
    skip: noStuckPipe,
    output: (t) => ({ stdout: nowhere(), stderr: pipe(t).open() }),
    losesLines: false,
  },
  'nobody reads the pipe of standard output': {
    skip: noStuckPipe,
    output: (t) => ({ stdout: pipe(t).open(), stderr: nowhere() }),
    losesLines: false,
  },
  'nobody reads the pipe of both': {
    skip: noStuckPipe,
    output: (t) => {
      const fd = pipe(t).open()
      return { stdout: fd, stderr: fd }
    },
    losesLines: false,
  },
  'the reader of the pipe of both is gone': {
    skip: noStuckPipe,
    output: (t) => {
      const stuck = pipe(t)
      const fd = stuck.open()
      stuck.leave()
      return { stdout: fd, stderr: fd }
    },
    losesLines: true,
  },
}

for (const [name, { skip = false, output, losesLines }] of Object.entries(states)) {
  describe(`when ${name}`, { skip: process.platform === 'linux' ? skip : 'needs Linux', timeout: 180_000 }, () => {
    test('the service starts, serves, counts what is lost of its log, and ends', async (t) => {
      const place = temporaryDirectory()
      t.after(() => place.remove())
      const service = await start(t, output(t), place.path)
      await requests(service)
      assert.equal((await linesLost(service)) >= REQUESTS, losesLines)
      const { stdout } = await command('status', '--data', place.path)
      assert.equal(/^Log: \d+ lines were lost, /m.test(stdout), losesLines)
      service.child.kill('SIGTERM')
      assert.deepEqual(await ended(service), { code: 0, signal: null })
    })

    test('a second signal ends it at once', async (t) => {
      const place = temporaryDirectory()
      t.after(() => place.remove())
      const service = await start(t, output(t), place.path, { BILLHOOK_DRAIN_SECONDS: '60' })
      await requests(service)
      service.child.kill('SIGTERM')
      await until(async () => (await ask('GET', `${service.url}/readyz`))?.json?.code === 'shutting_down')
      service.child.kill('SIGTERM')
      assert.deepEqual(await ended(service), { code: 143, signal: null })
    })
  })
}

test('a log whose disk was full goes on when there is space again, and says what is missing', {
  skip: noSmallDisk,
  timeout: 120_000,
}, async (t) => {
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const disk = smallDisk(1 << 20)
  t.after(() => disk.remove())
  const file = join(disk.path, 'log')
  const service = await start(t, { stdout: nowhere(), stderr: openSync(file, 'a') }, place.path)
  disk.fill(SPACE_LEFT_BYTES)
  for (let n = 0; (await linesLost(service)) === 0; n += 1) {
    assert.ok(n < 100)
    await requests(service)
  }
  disk.free()
  const parse = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  const about = await until(async () => parse().find((line) => line.includes('of the log were lost')) ?? null)
  const { level, lost, reason, msg } = JSON.parse(about)
  assert.deepEqual(
    [level, reason, msg],
    ['warn', 'no space left on device (ENOSPC)', `${lost} lines of the log were lost`],
  )
  await requests(service)
  service.child.kill('SIGTERM')
  assert.deepEqual(await ended(service), { code: 0, signal: null })
  // Whole lines only, and none of them is missing without being counted.
  const lines = parse().map((line) => JSON.parse(line))
  assert.equal(lines.at(-1)?.msg, 'stopped')
  assert.equal(
    lines.filter((line) => 'lost' in line).reduce((sum, line) => sum + line.lost, 0),
    lost,
  )
})

/** System calls on these files fail so, in a running process. */
async function failing(t: TestContext, pid: number, code: string, files: readonly string[]): Promise<void> {
  const calls = 'write,pwrite64,pwritev,writev,fsync,fdatasync,msync,ftruncate'
  const paths = files.flatMap((file) => ['-P', file])
  const tracer = spawn(
    'strace',
    [
      '-f',
      '-o',
      '/dev/null',
      '-e',
      `trace=${calls}`,
      '-e',
      `inject=${calls}:error=${code}`,
      ...paths,
      '-p',
      String(pid),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  t.after(() => endChild(tracer, 'SIGKILL'))
  await untilLine(tracer, (line) => line)
}

for (const code of ['EROFS', 'EIO']) {
  describe(`when the disk of the data answers ${code}`, { skip: notTraceable(), timeout: 180_000 }, () => {
    const broken = async (t: TestContext, more: Record<string, string> = {}) => {
      const place = temporaryDirectory()
      t.after(() => place.remove())
      const service = await start(t, { stdout: nowhere(), stderr: nowhere() }, place.path, more)
      const files = ['data.mdb', 'native-errors.log'].map((name) => join(place.path, name))
      await failing(t, service.child.pid ?? 0, code, files)
      const wallet = { id: 'w', address: '0x00000000000000000000000000000000000000f0', network: 'SEP' }
      const events = [{ id: '1', type: 'wallet.assigned', wallet, owner: 'shop' }]
      await until(async () => (await pushEvents(service.url, events))?.status === 503)
      return service
    }

    test('the service serves on, and ends', async (t) => {
      const service = await broken(t)
      await requests(service)
      service.child.kill('SIGTERM')
      const { signal } = await ended(service)
      assert.equal(signal, null)
    })

    test('a new store is not begun there: the start ends with 1 and a line', async (t) => {
      const place = temporaryDirectory()
      t.after(() => place.remove())
      const data = join(place.path, 'data')
      const calls = 'fsync,fdatasync,msync'
      const traced = `exec strace -f -o /dev/null -P "$2/data.mdb" -e trace=${calls} -e inject=${calls}:error=${code}`
      const { code: exitCode, stderr } = await runSh(
        ['-c', `${traced} "$0" "$1" serve --port 0 --data "$2"`, process.execPath, main, data],
        { timeoutMs: PATIENCE_MS },
      )
      assert.equal(exitCode, 1)
      assert.match(stderr, /^billhook: the data directory \S+ refuses writes: \S.*\n$/m)
      assert.doesNotMatch(stderr, /"level":"fatal"/)
    })

    test('a second signal ends it at once', async (t) => {
      const service = await broken(t, { BILLHOOK_DRAIN_SECONDS: '60' })
      service.child.kill('SIGTERM')
      await until(async () => (await ask('GET', `${service.url}/readyz`))?.json?.code === 'shutting_down')
      service.child.kill('SIGTERM')
      assert.deepEqual(await ended(service), { code: 143, signal: null })
    })
  })
}
