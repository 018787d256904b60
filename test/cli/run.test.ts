import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CommandContext, ProcessIo } from '../../src/cli/billhook-command.js'
import type { ReconcileRequest } from '../../src/cli/reconcile.js'
import { run } from '../../src/cli/run.js'
import { settingChapters, settingEntries } from '../../src/config/schema.js'
import { type Setting, variableOf } from '../../src/config/setting.js'
import type { Environment, Settings } from '../../src/config.js'
import { VERSION } from '../../src/version.js'
import { startChild } from './child.js'

async function running(argv: readonly string[], environment: Environment = {}, more: Partial<CommandContext> = {}) {
  const outLines: string[] = []
  const errorLines: string[] = []
  const served: Settings[] = []
  const ledgers: Settings[] = []
  const reconciled: { request: ReconcileRequest; settings: Settings }[] = []
  const context: CommandContext = {
    environment,
    out: (line) => outLines.push(line),
    error: (line) => errorLines.push(line),
    processIo: () => assert.fail('no command of this test needs the process'),
    runApart: null,
    ...more,
  }
  const code = await run(argv, context, {
    serve: async (settings) => {
      served.push(settings)
      return 42
    },
    reconcileLedger: async (settings) => {
      ledgers.push(settings)
      return 5
    },
    reconcile: async (request, settings) => {
      reconciled.push({ request, settings })
      return 43
    },
  })
  return { code, outLines, errorLines, served, reconciled, ledgers }
}

describe('the command line', () => {
  test('serve runs the service with its settings and ends with its exit code', async () => {
    const { code, served, outLines, errorLines } = await running(['serve', '--port', '0'], { BILLHOOK_HOST: '::1' })
    assert.equal(code, 42)
    assert.deepEqual(
      served.map(({ host, port }) => ({ host, port })),
      [{ host: '::1', port: 0 }],
    )
    assert.deepEqual([outLines, errorLines], [[], []])
  })

  test('reconcile --ledger takes settings and nothing else', async () => {
    const { code, ledgers, reconciled } = await running(['reconcile', '--data', 'elsewhere', '--ledger'])
    assert.deepEqual([code, ledgers.map(({ dataDirectory }) => dataDirectory), reconciled], [5, ['elsewhere'], []])
    const refused = await running(['reconcile', '--ledger', '--network', 'SEP'])
    assert.deepEqual([refused.code, refused.ledgers], [2, []])
  })

  test('reconcile is given its own flags, and the others as settings', async () => {
    for (const argv of [
      ['reconcile', '--network', 'SEP', '--from', '5', '--to', '20', '--data', 'elsewhere', '--apply'],
      ['reconcile', '--data=elsewhere', '--apply', '--to=20', '--from=1', '--from=5', '--network=SEP'],
    ]) {
      const { code, reconciled, served, errorLines } = await running(argv)
      assert.deepEqual({ code, served, errorLines }, { code: 43, served: [], errorLines: [] })
      assert.deepEqual(
        reconciled.map(({ request, settings }) => ({ ...request, data: settings.dataDirectory })),
        [{ network: 'SEP', from: 5, to: 20, isApplied: true, isForgotten: false, data: 'elsewhere' }],
      )
    }
  })

  const refusals: readonly (readonly [argv: readonly string[], ...lines: string[]])[] = [
    [[], 'reconcile needs --network.', 'reconcile needs --from.', 'reconcile needs --to.'],
    [['--network', 'SEP', '--from', '1', '--to'], "option '--to <height>' argument missing"],
    [['--network=sep', '--from', '1', '--to', '2'], '--network must be the id of a network, not "sep".'],
    [
      ['--network=SEP', '--from=-1', '--to=0x2'],
      '--from must be the height of a block, not "-1".',
      '--to must be the height of a block, not "0x2".',
    ],
    [['--network=SEP', '--from=2', '--to=3', '--forget'], '--forget needs --apply.'],
    [['--network=SEP', '--from=2', '--to=1'], '--from must not be above --to.'],
    [
      ['--network=SEP', '--from=1', '--to=1', '--aply'],
      '"--aply" is not a flag; did you mean --apply? See billhook --help.',
    ],
  ]
  for (const [argv, ...lines] of refusals) {
    test(`reconcile ${argv.join(' ')} is refused with a line for each problem and 2`, async () => {
      const { code, errorLines, reconciled } = await running(['reconcile', ...argv])
      assert.deepEqual({ code, errorLines, reconciled }, { code: 2, errorLines: lines, reconciled: [] })
    })
  }

  test('every problem with the settings is one line on standard error, and nothing is served', async () => {
    const { code, served, outLines, errorLines } = await running(['serve', '--port', 'x', '--sandbx', 'now'], {
      BILLHOOK_LOG: 'loud',
    })
    assert.equal(code, 2)
    assert.deepEqual(errorLines.slice(0, 3), [
      '"--sandbx" is not a flag; did you mean --sandbox? See billhook --help.',
      'Unexpected argument "now".',
      '--port must be an integer from 0 to 65535, not "x".',
    ])
    assert.match(errorLines.slice(3).join(), /^BILLHOOK_LOG must be [^\n]*$/)
    assert.deepEqual([served, outLines], [[], []])
  })

  test('without a command it prints help to standard error and ends with 2', async () => {
    for (const argv of [[], ['--port', '1'], ['--sandbox']]) {
      const { code, outLines, errorLines } = await running(argv)
      assert.equal(code, 2)
      assert.deepEqual(outLines, [])
      assert.match(errorLines.join('\n'), /^Usage: billhook/)
    }
  })

  test('an unknown command is one line and 2', async () => {
    const { code, errorLines } = await running(['sevre', '--port', 'x'])
    assert.equal(code, 2)
    assert.deepEqual(errorLines, ["unknown command 'sevre' (Did you mean serve?)"])
  })

  test('a flag given twice counts as given last', async () => {
    const { served } = await running(['serve', '--port', '1', '--sandbox', '--port=2', '--sandbox'])
    assert.deepEqual(
      served.map(({ port, sandbox }) => ({ port, sandbox })),
      [{ port: 2, sandbox: true }],
    )
  })

  test('--help prints every setting and its flag, and ends with 0 whatever else is wrong', async () => {
    for (const argv of [['--help'], ['-h'], ['serve', '--help'], ['serve', '--what', '--help', '--port', 'x']]) {
      const { code, outLines, errorLines } = await running(argv, { BILLHOOK_TYPO: '1' })
      assert.equal(code, 0)
      assert.deepEqual(errorLines, [])
      const text = outLines.join('\n')
      for (const [name, { about }] of settingEntries) {
        const variable = variableOf(name, about)
        assert.ok(text.includes(variable), variable)
        assert.ok(text.replace(/\n +/g, ' ').includes(about.sentence), variable)
        if (about.flag !== undefined) assert.ok(text.includes(`${variable}, ${about.flag}`), about.flag)
      }
    }
  })

  test('--help presents every setting once, in its chapter', async () => {
    const { outLines } = await running(['--help'])
    const text = outLines.join('\n')
    for (const [title, settings] of Object.entries(settingChapters)) {
      const chapter = text.slice(text.indexOf(`\n${title}\n`)).split('\n\n')[1] ?? ''
      const listed = chapter.match(/^ +BILLHOOK_\w+(?=$|, )/gm)?.map((line) => line.trim())
      assert.deepEqual(
        listed,
        Object.entries<Setting<unknown>>(settings).map(([name, { about }]) => variableOf(name, about)),
        title,
      )
    }
  })

  test('--help fits a terminal of 120 columns', async () => {
    const { outLines } = await running(['--help'])
    for (const line of outLines.join('\n').split('\n')) assert.ok(line.length <= 120, line)
  })

  test('--version prints the version alone', async () => {
    assert.deepEqual(await running(['--version']), {
      code: 0,
      outLines: [VERSION],
      errorLines: [],
      served: [],
      reconciled: [],
      ledgers: [],
    })
  })
})

describe('the program', () => {
  const main = new URL('../../src/main.js', import.meta.url)

  test('prints help to standard output on request', async () => {
    const { code, stdout, stderr } = await startChild(main, ['--help']).ended
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    assert.match(stdout, /^Usage: billhook/)
    assert.ok(stdout.endsWith('\n'))
  })

  test('reports problems with the settings on standard error and ends with 2', async () => {
    assert.deepEqual(await startChild(main, ['serve', '--port', 'x'], { BILLHOOK_TYPO: '1' }).ended, {
      code: 2,
      signal: null,
      stdout: '',
      stderr:
        'BILLHOOK_TYPO is not a setting; see billhook --help.\n--port must be an integer from 0 to 65535, not "x".\n',
    })
  })
})

describe('a command that opens data', () => {
  for (const argv of [
    ['check'],
    ['backup', 'file'],
    ['restore', 'file'],
    ['migrate'],
    ['status'],
    ['export', 'invoices'],
    ['import', 'file'],
    ['wallets', 'import', 'file'],
    ['wallets', 'list'],
    ['keys', 'list'],
    ['deliveries', 'list'],
    ['webhook', 'get', '--owner', 'alice'],
    ['reconcile', '--ledger'],
  ]) {
    test(`does it in a child, whose death it tells: ${argv.join(' ')}`, async () => {
      const told: string[] = []
      const io = { error: (line: string) => told.push(line), onSignal: () => {} } as Partial<ProcessIo> as ProcessIo
      const { code, errorLines } = await running(
        [...argv, '--data', 'nowhere'],
        {},
        {
          processIo: () => io,
          runApart: async () => ({ signal: 'SIGBUS' }),
        },
      )
      assert.deepEqual([code, errorLines, told.length], [argv[0] === 'reconcile' ? 3 : 1, [], 1])
      assert.match(told[0] ?? '', /^billhook: .* cannot be read: reading it ended the process \(SIGBUS\)/)
    })
  }

  test('ends as its child does', async () => {
    const more = {
      processIo: () => ({ onSignal: () => {} }) as Partial<ProcessIo> as ProcessIo,
      runApart: async () => ({ code: 7 }),
    }
    assert.equal((await running(['check'], {}, more)).code, 7)
    // These open none.
    assert.equal((await running(['serve'], {}, more)).code, 42)
  })
})
