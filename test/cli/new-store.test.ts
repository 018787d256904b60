import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startChild } from './child.js'
import { command, inDirectory, main } from './served.js'

/** Starts a service, ends it with a signal when it listens, and answers what it wrote to its log. */
async function start(directory: string, signal: NodeJS.Signals, more: Readonly<Record<string, string>> = {}) {
  const service = startChild(main, ['serve', '--port', '0', '--data', directory], { BILLHOOK_LOG: 'warn', ...more })
  await service.wrote('stdout', 'listening on ').catch(() => {})
  service.kill(signal)
  const { code, stderr } = await service.ended
  return { code, stderr, lines: stderr.split('\n').filter((line) => line.startsWith('{')) }
}

test(
  'a store is created with a line at warn, and known again by its id; a run that was killed is told at the next start',
  inDirectory(async (place) => {
    const directory = join(place, 'data')
    const first = await start(directory, 'SIGKILL')
    const created = first.lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('new, empty store'))
    assert.equal(created.length, 1, first.stderr)
    const [{ level, msg, id, bornAt }] = created
    assert.deepEqual([level, msg], ['warn', `a new, empty store was created in the data directory ${directory}`])
    const again = await start(directory, 'SIGTERM', { BILLHOOK_CREATE: 'off' })
    assert.equal(again.code, 0, again.stderr)
    assert.ok(!again.stderr.includes('new, empty store'))
    assert.match(
      again.stderr,
      /"level":"warn".*"the last run did not stop by itself: it was killed, crashed, or the machine lost power"/,
    )
    const { stdout } = await command('status', '--data', directory)
    assert.ok(stdout.includes(`\nStore ${id}, created ${new Date(bornAt).toISOString()}\n`), stdout)
  }),
)

test(
  'no store is created with BILLHOOK_CREATE=off, and nothing is left behind',
  inDirectory(async (directory) => {
    const { code, stderr } = await start(directory, 'SIGTERM', { BILLHOOK_CREATE: 'off' })
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^billhook: the data directory \S+ holds no data: see that it is the right one and that its volume is mounted; BILLHOOK_CREATE=on lets a new store begin there\n$/,
    )
    assert.deepEqual(readdirSync(directory), [])
  }),
)

test(
  'a store that an import creates is told, too',
  inDirectory(async (place) => {
    const [directory, records] = [join(place, 'data'), join(place, 'records')]
    mkdirSync(directory)
    writeFileSync(records, '')
    const { code, stderr } = await command('import', records, '--data', directory)
    assert.equal(code, 0)
    assert.match(stderr, /"level":"warn".*a new, empty store was created in the data directory/)
  }),
)
