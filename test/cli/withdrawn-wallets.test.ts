import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/clock.js'
import { readSettings } from '../../src/config.js'
import type { AuditRecord } from '../../src/domain/audit.js'
import { openStore } from '../../src/service/open-store.js'
import { command, inDirectory } from './served.js'

const UMID = 'ab'.repeat(32)

/** A data directory with a wallet that the ledger has given away. */
async function withdrawnIn(directory: string): Promise<void> {
  const read = readSettings([], { BILLHOOK_DATA: directory })
  assert.ok('settings' in read)
  const store = await openStore(read.settings, systemClock, { mayBegin: true })
  const address = `0x${'12'.repeat(20)}`
  await store.ledger.applyFacts([
    { eventId: null, fact: { type: 'wallet.created', id: 'w1', address, network: 'SEP' } },
    { eventId: null, fact: { type: 'wallet.withdrawn', id: 'w1', umid: UMID, ledgerMs: 5, mayBeUnknown: true } },
    { eventId: null, fact: { type: 'wallet.withdrawn', id: 'w2', umid: UMID, ledgerMs: 5, mayBeUnknown: true } },
  ])
  await store.close()
}

test(
  'billhook wallets lists what was withdrawn, puts it back once, with a trace, and an import takes it over',
  inDirectory(async (directory) => {
    await withdrawnIn(directory)
    const data = ['--data', directory]
    const status = await command('status', ...data)
    assert.match(
      status.stdout,
      /^SEP: 0 wallets without an owner, 0 of them can be claimed now; 1 more were withdrawn/m,
    )
    const list = await command('wallets', 'list', '--withdrawn', ...data)
    const [head, first, second] = list.stdout.split('\n').map((line) => line.split('\t'))
    assert.deepEqual(head, ['id', 'network', 'address', 'transaction', 'ledgerAt', 'withdrawnAt'])
    assert.deepEqual([first?.[0], first?.[3], second?.[0], second?.[1]], ['w1', UMID, 'w2', '-'])
    const exported = await command('export', 'withdrawn-wallets', ...data)
    // The one that was not told yet is no wallet.
    assert.equal((await command('export', 'wallets', ...data)).stdout.trimEnd().split('\n').length, 1)

    const back = await command('wallets', 'put-back', 'w1', ...data)
    assert.deepEqual([back.code, back.stdout], [0, 'The wallet w1 is in the pool again.\n'])
    const again = await command('wallets', 'put-back', 'w1', ...data)
    assert.notEqual(again.code, 0)
    const traces = (await command('audit', 'list', '--json', ...data)).stdout
      .trimEnd()
      .split('\n')
      .map((line): AuditRecord => JSON.parse(line))
    assert.deepEqual(traces.map(({ action, subject, outcome }) => [action, subject, outcome]).sort(), [
      ['wallet.put_back', 'w1', 'done'],
      ['wallet.put_back', 'w1', 'refused'],
    ])
    const file = join(directory, 'withdrawn.ndjson')
    writeFileSync(file, exported.stdout)
    const other = join(directory, 'other')
    mkdirSync(other)
    assert.equal((await command('import', file, '--data', other)).code, 0)
    const ids = (await command('wallets', 'list', '--withdrawn', '--data', other)).stdout.match(/^w\d/gm)
    assert.deepEqual(ids, ['w1', 'w2'])
  }),
)
