import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DRAIN_TIMEOUT_MS, type ServeIo, serve } from '../../src/cli/serve.js'
import { type Environment, readSettings, type Settings } from '../../src/config.js'
import { createLog } from '../../src/log.js'
import { OperatorError } from '../../src/operator-error.js'
import { VERSION } from '../../src/version.js'
import { deferred } from '../support/deferred.js'
import { noStuckPipe, stuckPipe } from '../support/stuck-pipe.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { startChild } from './child.js'

const noFullDevice = process.platform === 'linux' ? false : 'only Linux has a device that is always full'

function settingsOf(environment: Environment): Settings {
  const outcome = readSettings([], environment)
  assert.ok('settings' in outcome)
  return outcome.settings
}

type Service = Awaited<ReturnType<ServeIo['startService']>>

interface Given {
  readonly flushes?: boolean
  readonly environment?: Environment
  readonly patienceMs?: number | null
  readonly isAlive?: () => boolean
}

/** `serve` under way in a process that the test plays. */
function serving({ flushes = true, environment = {}, patienceMs = null, isAlive = () => true }: Given = {}) {
  const settings = settingsOf(environment)
  /** What service and supervisor were told, in order. */
  const heard: string[] = []
  const outLines: string[] = []
  const errorLines: string[] = []
  const logLines: string[] = []
  const exits: number[] = []
  const signals = { SIGHUP: () => {}, SIGINT: () => {}, SIGTERM: () => {} }
  const timers: { delayMs: number; cancelled: boolean; elapsed(): void }[] = []
  const start = deferred<Service>()
  const stop = deferred<void>()
  const ready = deferred<void>()
  const draining = deferred<void>()
  const flush = deferred<void>()
  const exited = deferred<number>()
  let uncaught: (error: unknown) => void = () => {}
  const log = createLog('info', { write: (line) => logLines.push(line) })
  const clock = { now: () => 0 }
  const io: ServeIo = {
    out: (line) => {
      outLines.push(line)
      if (line.includes('listening on')) ready.resolve()
    },
    error: (line) => errorLines.push(line),
    log,
    clock,
    startService: (...received) => {
      assert.deepEqual(received.slice(0, 3), [settings, log, clock])
      return start.promise
    },
    onSignal: (signal, received) => {
      signals[signal] = received
    },
    divertErrors: async () => undefined,
    makeRoomForDescriptors: async () => undefined,
    supervisor: () => ({
      ready: () => heard.push('ready'),
      reloading: () => heard.push('reloading'),
      stopping: () => heard.push('stopping'),
      alive: () => heard.push('alive'),
      patienceMs,
    }),
    onUncaught: (callback) => {
      uncaught = callback
    },
    scheduler: {
      after: (delayMs, elapsed) => {
        const timer = { delayMs, elapsed, cancelled: false }
        timers.push(timer)
        return () => {
          timer.cancelled = true
        }
      },
    },
    flush: () => flush.promise,
    exit: (code) => {
      exits.push(code)
      exited.resolve(code)
    },
  }
  const service: Service = {
    url: 'http://[::1]:8080',
    banner: ['SANDBOX', 'second line'],
    reload: () => heard.push('reload'),
    isAlive: async () => isAlive(),
    announceStop: () => heard.push('announceStop'),
    stop: () => {
      draining.resolve()
      return stop.promise
    },
    waitsFor: () => 'requests',
  }
  const code = serve(settings, io)
  if (flushes) flush.resolve()
  return {
    ...{ code, start, stop, flush, service, outLines, errorLines, logLines, exits, timers, signals, heard, log },
    ready: ready.promise,
    draining: draining.promise,
    exited: exited.promise,
    uncaught: (error: unknown) => uncaught(error),
  }
}

describe('serve', () => {
  test('prints the banner, then the ready line, and nothing before the service is up', async () => {
    const run = serving()
    assert.deepEqual(run.outLines, [])
    run.start.resolve(run.service)
    await run.ready
    assert.deepEqual(run.outLines, ['SANDBOX', 'second line', `Billhook ${VERSION} listening on http://[::1]:8080`])
    run.signals.SIGTERM()
    run.stop.resolve()
    assert.equal(await run.code, 0)
  })

  test('logs and ignores SIGHUP when there is nothing to reload', async () => {
    const run = serving()
    run.start.resolve(run.service)
    await run.ready
    run.signals.SIGHUP()
    assert.deepEqual([run.logLines.length, run.exits], [1, []])
    assert.match(run.logLines[0] ?? '', /"signal":"SIGHUP".*ignored/)
    assert.deepEqual(run.heard, ['ready', 'reloading', 'reload', 'ready'])
  })

  test('SIGHUP has the log level read again, and a file that holds none changes nothing', async (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const file = join(place.path, 'level')
    const run = serving({ environment: { BILLHOOK_LOG_LEVEL_FILE: file, BILLHOOK_LOG: 'info' } })
    run.start.resolve(run.service)
    await run.ready
    const levels = []
    for (const contents of ['debug\n', 'loud', null, 'error']) {
      if (contents === null) rmSync(file)
      else writeFileSync(file, contents)
      run.signals.SIGHUP()
      levels.push(run.log.level)
    }
    assert.deepEqual(levels, ['debug', 'debug', 'info', 'error'])
    assert.ok(run.logLines.some((line) => line.includes('the level stays')))
  })

  test('a log level in a file counts from the start', async (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    writeFileSync(join(place.path, 'level'), 'debug')
    const run = serving({ environment: { BILLHOOK_LOG_LEVEL_FILE: join(place.path, 'level') } })
    assert.equal(run.log.level, 'debug')
  })

  test('a reload that was asked for during the start follows it', async () => {
    const run = serving({ environment: { BILLHOOK_TLS_CERT: 'a', BILLHOOK_TLS_KEY: 'b' } })
    run.signals.SIGHUP()
    assert.deepEqual(run.heard, [])
    run.start.resolve(run.service)
    await run.ready
    assert.deepEqual(run.heard, ['ready', 'reloading', 'reload', 'ready'])
  })

  test('serves on for the time that proxies need, and then drains', async () => {
    const run = serving({ environment: { BILLHOOK_DRAIN_SECONDS: '7' } })
    run.start.resolve(run.service)
    await run.ready
    run.signals.SIGTERM()
    await new Promise(setImmediate)
    assert.deepEqual(run.heard, ['ready', 'stopping', 'announceStop'])
    assert.deepEqual(
      run.timers.map((timer) => timer.delayMs),
      [7000],
    )
    run.timers[0]?.elapsed()
    await run.draining
    run.stop.resolve()
    assert.equal(await run.code, 0)
  })

  test('a second signal ends at once while it serves on', async () => {
    const run = serving({ environment: { BILLHOOK_DRAIN_SECONDS: '7' } })
    run.start.resolve(run.service)
    await run.ready
    run.signals.SIGTERM()
    run.signals.SIGTERM()
    assert.deepEqual(run.exits, [143])
    await new Promise(setImmediate)
    run.timers[0]?.elapsed()
    run.stop.resolve()
    await run.code
  })

  test('the watchdog gets a heartbeat while the service answers for itself, twice in the time that it waits', async () => {
    let alive = true
    const run = serving({ patienceMs: 3000, isAlive: () => alive })
    run.start.resolve(run.service)
    await run.ready
    await new Promise(setImmediate)
    for (const isAlive of [true, false, true]) {
      alive = isAlive
      assert.equal(run.timers.at(-1)?.delayMs, 1500)
      run.timers.at(-1)?.elapsed()
      await new Promise(setImmediate)
    }
    assert.deepEqual(run.heard, ['ready', 'alive', 'alive', 'alive'])
    run.signals.SIGTERM()
    await run.draining
    assert.equal(run.timers.at(-2)?.cancelled, true)
    run.stop.resolve()
    assert.equal(await run.code, 0)
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`drains at ${signal} and ends with 0`, async () => {
      const run = serving()
      run.start.resolve(run.service)
      await run.ready
      run.signals[signal]()
      await run.draining
      run.stop.resolve()
      assert.equal(await run.code, 0)
      assert.deepEqual(
        run.logLines.map((line) => JSON.parse(line).msg),
        ['stopping', 'stopped'],
      )
      assert.deepEqual(run.exits, [])
      assert.deepEqual(
        run.timers.map((timer) => timer.cancelled),
        [true],
      )
    })
  }

  test('gives the drain its time and no more, then ends with 1', async () => {
    const run = serving()
    run.start.resolve(run.service)
    await run.ready
    run.signals.SIGTERM()
    await run.draining
    assert.deepEqual(
      run.timers.map((timer) => timer.delayMs),
      [DRAIN_TIMEOUT_MS],
    )
    run.timers[0]?.elapsed()
    assert.equal(await run.code, 1)
    assert.match(run.logLines.at(-1) ?? '', /"waitingFor":"requests".*not everything finished in time/)
  })

  test('a drain that fails ends with 1', async () => {
    const run = serving()
    run.start.resolve(run.service)
    await run.ready
    run.signals.SIGTERM()
    run.stop.reject(new Error('disk full'))
    assert.equal(await run.code, 1)
    assert.match(run.logLines.at(-1) ?? '', /disk full/)
  })

  test('a second signal ends at once, by the code of that signal', async () => {
    for (const [second, exitCode] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const run = serving()
      run.start.resolve(run.service)
      await run.ready
      run.signals.SIGTERM()
      await run.draining
      run.signals[second]()
      assert.deepEqual(run.exits, [exitCode])
      run.stop.resolve()
      await run.code
    }
  })

  test('a signal during the start drains as soon as the service is up, without a ready line', async () => {
    const run = serving()
    run.signals.SIGINT()
    run.start.resolve(run.service)
    await run.draining
    run.stop.resolve()
    assert.equal(await run.code, 0)
    assert.deepEqual(run.outLines, [])
  })

  test('what an operator can put right is one line and 1', async () => {
    const run = serving()
    run.start.reject(new OperatorError('The data directory ./data is in use by another process.'))
    assert.equal(await run.code, 1)
    assert.deepEqual(run.errorLines, ['billhook: The data directory ./data is in use by another process.'])
    assert.deepEqual(run.logLines, [])
  })

  test('a defect at start is logged with its stack and is 1', async () => {
    const run = serving()
    run.start.reject(new TypeError('undefined is not a function'))
    assert.equal(await run.code, 1)
    assert.deepEqual(run.errorLines, [])
    const { level, err } = JSON.parse(run.logLines[0] ?? '')
    assert.equal(level, 'fatal')
    assert.match(err.stack, /serve\.test/)
  })

  test('every end but a second signal waits until the log is written', async () => {
    const run = serving({ flushes: false })
    let ended = false
    const code = run.code.then(() => {
      ended = true
    })
    run.start.resolve(run.service)
    await run.ready
    run.signals.SIGTERM()
    run.stop.resolve()
    run.uncaught(new Error('bug'))
    await new Promise(setImmediate)
    assert.deepEqual([ended, run.exits], [false, []])
    run.flush.resolve()
    await code
    assert.equal(await run.exited, 1)
  })

  test('an exception that nobody caught is logged and ends at once with 1', async () => {
    const run = serving()
    run.uncaught(new Error('bug'))
    assert.match(run.logLines[0] ?? '', /"level":"fatal".*bug/)
    assert.equal(await run.exited, 1)
    run.start.reject(new OperatorError('over'))
    await run.code
  })
})

describe('the process of serve', () => {
  const script = new URL('./serve-process.js', import.meta.url)
  const ready = `Billhook ${VERSION} listening on http://127.0.0.1:1\n`

  test('ends with 0 after a drain, its log complete and on standard error alone', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const child = startChild(script, ['drains'])
      await child.wrote('stdout', ready)
      child.kill(signal)
      const { stderr, ...rest } = await child.ended
      assert.deepEqual(rest, { code: 0, signal: null, stdout: `A banner.\n${ready}` })
      const lines = stderr.trimEnd().split('\n')
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).msg),
        ['stopping', 'draining', 'stopped'],
      )
    }
  })

  test('ends at once by a second signal', async () => {
    for (const [second, exitCode] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const child = startChild(script, ['never drains'])
      await child.wrote('stdout', ready)
      child.kill('SIGTERM')
      await child.wrote('stderr', 'hanging')
      child.kill(second)
      assert.equal((await child.ended).code, exitCode)
    }
  })

  test('logs an exception that nobody caught, and ends with 1', async () => {
    for (const [behaviour, message] of [
      ['throws later', 'nobody catches this'],
      ['rejects later', 'nobody awaits this'],
    ] as const) {
      const { code, stderr } = await startChild(script, [behaviour]).ended
      assert.equal(code, 1)
      const line = JSON.parse(stderr)
      assert.equal(line.level, 'fatal')
      assert.equal(line.err.message, message)
    }
  })

  test('says in one line why it cannot start, and ends with 1', async () => {
    assert.deepEqual(await startChild(script, ['cannot start']).ended, {
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'billhook: The port 1 is in use.\n',
    })
  })

  test('goes on when threads write to an output that is full', { skip: noFullDevice, timeout: 60_000 }, async () => {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [fileURLToPath(script), 'a thread writes'], { stdio: ['ignore', full, full] })
    closeSync(full)
    assert.deepEqual(await once(child, 'exit'), [0, null])
  })

  test('ends with 1 after an exception that nobody caught, also when nobody can read it', {
    skip: noFullDevice || noStuckPipe,
    timeout: 60_000,
  }, async () => {
    const pipe = stuckPipe()
    try {
      for (const fd of [pipe.open(), openSync('/dev/full', 'w')]) {
        const child = spawn(process.execPath, [fileURLToPath(script), 'throws later'], { stdio: ['ignore', fd, fd] })
        closeSync(fd)
        assert.deepEqual(await once(child, 'exit'), [1, null])
      }
    } finally {
      pipe.remove()
    }
  })
})
