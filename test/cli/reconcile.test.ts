import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ReconcileIo, type ReconcileRequest, reconcileNetwork } from '../../src/cli/reconcile.js'
import { readSettings } from '../../src/config.js'
import { createLog } from '../../src/log.js'
import { NodeUnavailable } from '../../src/networks/network-reader.js'
import { OperatorError } from '../../src/operator-error.js'
import { again, BLOCKS, type Books, HEIGHT, TX, withBooks } from '../networks/books.js'
import { NO_FAULTS } from '../networks/simulated-reader.js'
import { addressOf } from '../support/fixtures.js'
import { ManualClock } from '../support/manual-clock.js'

const REQUEST: ReconcileRequest = { network: 'SEP', from: 5, to: 20, isApplied: false, isForgotten: false }
const CONFIGURED = { BILLHOOK_SEP_URLS: 'http://127.0.0.1:1', BILLHOOK_SEP_TOKEN: `0x${'00'.repeat(20)}` }

/** The command over books, in a process that the test plays. */
class Run {
  readonly outLines: string[] = []
  readonly errorLines: string[] = []
  readonly logLines: string[] = []
  readonly exits: number[] = []
  readonly clock = new ManualClock()
  written = ''
  isClosed = false
  forgotten = 0
  recorded: number | null = BLOCKS
  columns: number | null = null
  environment: Readonly<Record<string, string>> = CONFIGURED
  open: ReconcileIo['openReconciliation'] | null = null
  /** Called at each progress of the work. */
  onProgress: () => void = () => {}
  readonly signals = new Map<string, () => void>()

  constructor(private readonly books: Books) {}

  start(more: Partial<ReconcileRequest> = {}): Promise<number> {
    const read = readSettings([], this.environment)
    assert.ok('settings' in read, JSON.stringify(read))
    return reconcileNetwork({ ...REQUEST, ...more }, read.settings, {
      out: (line) => this.outLines.push(line),
      error: (line) => this.errorLines.push(line),
      write: (text) => {
        this.written += text
      },
      columns: () => this.columns,
      operator: () => ({ who: 'root (uid 0)', from: 'command line' }),
      log: createLog('info', { write: (line) => this.logLines.push(line) }),
      clock: this.clock,
      onSignal: (signal, received) => this.signals.set(signal, received),
      exit: (code) => this.exits.push(code),
      flush: async () => {},
      openReconciliation: this.open ?? this.overBooks,
    })
  }

  private readonly overBooks: ReconcileIo['openReconciliation'] = async (_network, { stop }) => ({
    recorded: this.recorded,
    run: ({ isApplied, onProgress, ...order }) =>
      this.books.reconcile({
        ...order,
        intake: isApplied ? this.books.intake : null,
        isStopping: () => stop.aborted,
        onProgress: (progress) => {
          onProgress(progress)
          this.onProgress()
        },
      }),
    forget: async () => {
      this.forgotten += 1
    },
    close: async () => {
      this.isClosed = true
    },
  })
}

function withRun(scenario: (run: Run, books: Books) => Promise<void>): () => Promise<void> {
  return withBooks(async (books) => {
    const run = new Run(books)
    await scenario(run, books)
    assert.deepEqual(run.logLines, [])
  })
}

describe('billhook reconcile', () => {
  test(
    'of books that are right says so and ends with 0',
    withRun(async (run) => {
      assert.equal(await run.start(), 0)
      assert.deepEqual(run.outLines, ['SEP blocks 5 to 20 are compared: 0 differences.'])
      assert.deepEqual(run.errorLines, [])
      assert.ok(run.isClosed)
    }),
  )

  test(
    'tells each difference on a line and ends with 1; with --apply it repairs them and ends with 0',
    withRun(async (run, books) => {
      await again(books, 'pending', { amount: '6' })
      await books.report('confirmed', { txHash: 'made\u001b[2Jup', receivedAt: books.timeOf(18) })
      const lines = [
        `SEP block ${HEIGHT} transaction ${TX} index 0: recorded otherwise: amount 6 instead of 5; pending instead of confirmed`,
        `SEP block 18 transaction made?[2Jup index 0: recorded as confirmed, but not on the chain: 100 #native to ${addressOf('wallet-1')}`,
      ]
      assert.equal(await run.start(), 1)
      assert.deepEqual(run.outLines.splice(0), [...lines, 'SEP blocks 5 to 20 are compared: 2 differences.'])
      assert.equal(await run.start({ isApplied: true }), 0)
      assert.deepEqual(run.outLines.splice(0), [
        ...lines,
        'SEP blocks 5 to 20 are compared: 2 differences, 2 repaired.',
        'Webhooks that are owed by the repairs are sent when the service runs.',
      ])
      assert.equal(await run.start(), 0)
    }),
  )

  test(
    'tells what the store has nothing of',
    withRun(async (run, books) => {
      const missing = { txHash: 'new', index: 3, toAddress: addressOf('wallet-2'), currency: 'Tether', amount: '7' }
      for (let n = 0; n < 10; n += 1) books.chain.mine(n === 0 ? [missing] : [])
      const height = BLOCKS + 1
      assert.equal(await run.start({ from: height, to: height }), 1)
      assert.equal(
        run.outLines[0],
        `SEP block ${height} transaction new index 3: not recorded: 7 Tether to ${addressOf('wallet-2')}`,
      )
      assert.deepEqual(run.errorLines, [`Blocks above ${BLOCKS} were not read by the service yet.`])
    }),
  )

  test(
    'leaves to people what it cannot place, and ends with 1 even with --apply',
    withRun(async (run, books) => {
      const receivedAt = books.timeOf(HEIGHT) + 1
      await books.report('confirmed', { txHash: 'x', receivedAt })
      assert.equal(await run.start({ isApplied: true }), 1)
      const time = new Date(receivedAt).toISOString()
      assert.deepEqual(run.outLines, [
        `SEP transaction x index 0: recorded as confirmed at ${time}, and in none of these blocks; left as it is: 100 #native to ${addressOf('wallet-1')}`,
        'SEP blocks 5 to 20 are compared: 1 difference, 0 repaired.',
      ])
    }),
  )

  test(
    'with --forget says where the service has to begin',
    withRun(async (run) => {
      assert.equal(await run.start({ isApplied: true, isForgotten: true }), 0)
      assert.equal(run.forgotten, 1)
      assert.deepEqual(run.outLines, [
        'SEP blocks 5 to 20 are compared: 0 differences, 0 repaired.',
        'Which blocks of SEP were read is forgotten. Start the service with BILLHOOK_SEP_START=21.',
      ])
    }),
  )

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(
      `at ${signal} ends with 3 and says how to go on, and a second one ends it at once`,
      withRun(async (run, books) => {
        books.reader.faults = { ...NO_FAULTS, rangeMax: 1 }
        const until = books.reader.asked.blocks + 9
        run.onProgress = () => {
          if (books.reader.asked.blocks === until) run.signals.get(signal)?.()
        }
        assert.equal(await run.start({ isApplied: true, isForgotten: true }), 3)
        assert.deepEqual(run.outLines, [
          'SEP blocks 5 to 11 are compared: 0 differences, 0 repaired.',
          'The end was not reached. To go on: --from 12 --to 20',
        ])
        assert.deepEqual([run.exits, run.forgotten], [[], 0])
        run.signals.get('SIGINT')?.()
        assert.deepEqual(run.exits, [130])
        assert.ok(run.isClosed)
      }),
    )
  }

  test(
    'without a node ends with 3 and says how to go on',
    withRun(async (run, books) => {
      books.reader.faults = { ...NO_FAULTS, rangeMax: 1 }
      const blocks = books.reader.blocks.bind(books.reader)
      books.reader.blocks = async (from, to, watched) => {
        if (from === 14) throw new NodeUnavailable('SEP: http://127.0.0.1:1: gone')
        return await blocks(from, to, watched)
      }
      assert.equal(await run.start(), 3)
      assert.deepEqual(run.errorLines, ['billhook: no node answers: SEP: http://127.0.0.1:1: gone'])
      assert.equal(run.outLines.at(-1), 'The end was not reached. To go on: --from 12 --to 20')
    }),
  )

  test(
    'of a range that is not confirmed yet, or of a network without nodes, is refused with 2',
    withRun(async (run) => {
      assert.equal(await run.start({ to: BLOCKS }), 2)
      assert.deepEqual(run.errorLines.splice(0), [
        'billhook: block 30 is not confirmed yet; the last confirmed one is 26.',
      ])
      assert.equal(await run.start({ network: 'TRX-NILE' }), 2)
      assert.deepEqual(run.errorLines, ['reconcile --network TRX-NILE needs BILLHOOK_TRX_NILE_URLS.'])
    }),
  )

  test(
    'that cannot begin ends with 3 and one line; a defect is logged with its stack',
    withBooks(async (books) => {
      const run = new Run(books)
      run.open = () =>
        Promise.reject(new OperatorError('the data directory ./data is in use by another process (pid 7)'))
      assert.equal(await run.start(), 3)
      assert.deepEqual(run.errorLines, ['billhook: the data directory ./data is in use by another process (pid 7)'])
      assert.deepEqual(run.logLines, [])
      run.open = () => Promise.reject(new TypeError('undefined is not a function'))
      assert.equal(await run.start(), 3)
      assert.match(run.logLines.join(''), /"level":"fatal".*undefined is not a function/)
    }),
  )

  test(
    'of a network that was never watched says so',
    withRun(async (run) => {
      run.recorded = null
      assert.equal(await run.start(), 0)
      assert.deepEqual(run.errorLines, ['The service has not watched SEP yet.'])
    }),
  )

  test(
    'draws a bar on a terminal, and takes it away for every other line',
    withRun(async (run, books) => {
      run.columns = 120
      books.reader.faults = { ...NO_FAULTS, rangeMax: 1 }
      run.onProgress = () => run.clock.advance(1000)
      assert.equal(await run.start(), 0)
      const drawn = run.written.split('\r\u001b[K')
      assert.equal(drawn[0], '')
      assert.equal(drawn.at(-1), '', 'the bar is taken away at the end')
      const half = drawn.find((text) => text.includes('50 %'))
      assert.match(
        half ?? '',
        /^\[#{15}\.{15}\] 50 % \(8 of 16 blocks, about \d+ s left\), 8 transfers, 0 differences$/,
      )
      assert.match(drawn.at(-2) ?? '', /^\[#{30}\] 100 % \(16 of 16 blocks\), 16 transfers, 0 differences$/)
    }),
  )

  test(
    'writes a line every ten seconds where there is no terminal',
    withRun(async (run, books) => {
      books.reader.faults = { ...NO_FAULTS, rangeMax: 1 }
      run.onProgress = () => run.clock.advance(2000)
      assert.equal(await run.start(), 0)
      const lines = run.written.trimEnd().split('\n')
      assert.ok(lines.length >= 3 && lines.length <= 8, run.written)
      for (const line of lines) assert.match(line, /^\d+ % \(\d+ of 16 blocks.*\), \d+ transfers?, 0 differences$/)
    }),
  )
})
