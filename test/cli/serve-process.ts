/**
 * A process that runs `serve` over a stand-in for the service, for the tests that need real signals and a real end.
 * The first argument names the service's behaviour.
 */
import { Worker } from 'node:worker_threads'
import { serviceIo } from '../../src/cli/process-io.js'
import { type ServeIo, serve } from '../../src/cli/serve.js'
import { readSettings } from '../../src/config.js'
import { OperatorError } from '../../src/operator-error.js'

const outcome = readSettings([], {})
if ('problems' in outcome) throw new Error(outcome.problems.join(' '))

/** Keeps the process alive, as a listening socket would. */
const alive = setInterval(() => {}, 1_000_000)

const io = serviceIo('info')
/** What no behaviour differs in. */
const idle = { reload: () => log('reloaded'), isAlive: async () => true, announceStop: () => undefined }

function log(text: string): void {
  io.log.info(text)
}

const startService: ServeIo['startService'] = async (_settings, log) => {
  const behaviour = process.argv[2]
  switch (behaviour) {
    case 'drains':
      break
    case 'never drains':
      return {
        url: 'http://127.0.0.1:1',
        ...idle,
        banner: [],
        stop: () => new Promise(() => log.info('hanging')),
        waitsFor: () => null,
      }
    case 'throws later':
      setImmediate(() => {
        throw new Error('nobody catches this')
      })
      break
    case 'rejects later':
      setImmediate(() => void Promise.reject(new Error('nobody awaits this')))
      break
    case 'a thread writes': {
      const thread = new Worker("process.stdout.write('x'); process.stderr.write('x')", { eval: true })
      thread.once('exit', () => setImmediate(() => process.kill(process.pid, 'SIGTERM')))
      break
    }
    case 'cannot start':
      throw new OperatorError('The port 1 is in use.')
    default:
      throw new Error(`unknown behaviour ${behaviour}`)
  }
  return {
    url: 'http://127.0.0.1:1',
    ...idle,
    banner: ['A banner.'],
    waitsFor: () => null,
    stop: async () => {
      log.info('draining')
      clearInterval(alive)
    },
  }
}

process.exit(
  await serve(outcome.settings, {
    ...io,
    startService,
    divertErrors: async () => undefined,
    makeRoomForDescriptors: async () => undefined,
  }),
)
