import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { examineData } from '../../src/service/doctor/data.js'
import type { Finding } from '../../src/service/doctor/examination.js'
import { lockDirectory } from '../../src/store/lmdb/file/directory-lock.js'
import { openStoreAt } from '../support/lmdb-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const PAGE_BYTES = 4096

interface Case {
  readonly prepare: (directory: string) => void
  readonly create?: boolean
  readonly verdict: Finding['verdict']
  readonly told: RegExp
}

async function withStore(directory: string): Promise<void> {
  await (await openStoreAt(directory)).close()
}

/** All pages but the two that LMDB begins with. */
function damage(directory: string): void {
  const file = join(directory, 'data.mdb')
  const pages = readFileSync(file)
  writeFileSync(file, pages.fill(0xa5, 2 * PAGE_BYTES))
}

const empty: Readonly<Record<string, Case>> = {
  'is empty, where a start would begin a new store': {
    prepare: () => {},
    verdict: 'warning',
    told: /holds no data\. See that .* its volume is mounted: a start would begin a new, empty store there\.$/,
  },
  'is empty, where a start would fail': {
    prepare: () => {},
    create: false,
    verdict: 'failed',
    told: /holds no data\. See that .* its volume is mounted: BILLHOOK_CREATE=off /,
  },
  'has a file without contents': {
    prepare: (directory) => writeFileSync(join(directory, 'data.mdb'), ''),
    verdict: 'failed',
    told: /is damaged: it is empty/,
  },
}
const stored: Readonly<Record<string, Case>> = {
  'has a store': { prepare: () => {}, verdict: 'ok', told: /^No service runs on .* can be opened\.$/ },
  'has a damaged page': { prepare: damage, verdict: 'failed', told: /is damaged: page \d+ .* restore a backup/ },
  'is held by a process that answers no commands': {
    prepare: (directory) => void lockDirectory(directory),
    verdict: 'warning',
    told: /in use by another process \(pid \d+\), which answers no commands/,
  },
}

describe('the doctor on a data directory that no service answers for, which', () => {
  const all = [...Object.entries(empty), ...Object.entries(stored)]
  for (const [what, { prepare, create = true, verdict, told }] of all) {
    test(what, async () => {
      const place = temporaryDirectory()
      try {
        if (what in stored) await withStore(place.path)
        prepare(place.path)
        const settings = { dataDirectory: place.path, store: 'lmdb', create }
        const [finding, ...others] = await examineData({ settings, running: null } as Parameters<typeof examineData>[0])
        assert.deepEqual([finding?.verdict, others], [verdict, []])
        assert.match(`${finding?.text} ${finding?.advice ?? ''}`.trim(), told)
      } finally {
        place.remove()
      }
    })
  }
})
