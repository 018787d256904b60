import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openStoreAt } from '../../support/lmdb-fixture.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

const onlyRoot = process.geteuid?.() === 0 ? false : 'only root can become another user'
/** Whose the data are. Nobody else has this number. */
const USER = 54_321

/** A file that can be opened, and cannot be read. */
const UNREADABLE = '/sys/class/net/lo/speed'

function unreadable(): string | false {
  try {
    readFileSync(UNREADABLE)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'read') return false
  }
  return `reading ${UNREADABLE} does not fail here`
}

type Told = { readonly opened: true } | { readonly name: string; readonly message: string }

/** What happens when a user opens the data of a directory, in a process of its own. */
async function openedBy(user: number, directory: string, access: 'written' | 'only-read' = 'written'): Promise<Told> {
  const child = fork(fileURLToPath(new URL('./open-as-user.js', import.meta.url)), [directory, String(user), access])
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`it ended with ${code ?? signal} and said nothing`)
  })
  const [told] = (await Promise.race([once(child, 'message'), ended])) as [Told]
  await ended.catch(() => {})
  return told
}

/** Runs a scenario in a directory of that user that holds a store, or nothing. */
function ofUser(what: 'a store' | 'nothing', scenario: (directory: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const place = temporaryDirectory()
    try {
      chmodSync(place.path, 0o755)
      const directory = join(place.path, 'data')
      mkdirSync(directory, { mode: 0o700 })
      if (what === 'a store') await (await openStoreAt(directory)).close()
      for (const name of ['', ...readdirSync(directory)]) chownSync(join(directory, name), USER, USER)
      await scenario(directory)
    } finally {
      place.remove()
    }
  }
}

const refused: Readonly<Record<string, { readonly spoil: (directory: string) => void; readonly told: RegExp }>> = {
  'the table of readers is of root': {
    spoil: (directory) => chownSync(join(directory, 'lock.mdb'), 0, 0),
    told: /lock\.mdb: it belongs to user 0, and this process runs as user 54321: chown it \(EACCES\)$/,
  },
  'the table of readers can only be read': {
    spoil: (directory) => chmodSync(join(directory, 'lock.mdb'), 0o400),
    told: /lock\.mdb: EACCES: permission denied/,
  },
  'the table of readers is a directory': {
    spoil: (directory) => {
      rmSync(join(directory, 'lock.mdb'))
      mkdirSync(join(directory, 'lock.mdb'))
    },
    told: /lock\.mdb: it is no file$/,
  },
  'the table of readers is a link to a file of somebody else': {
    spoil: (directory) => {
      rmSync(join(directory, 'lock.mdb'))
      symlinkSync('/etc/passwd', join(directory, 'lock.mdb'))
    },
    told: /lock\.mdb: it is no file$/,
  },
  'the table of readers is missing and cannot be made': {
    spoil: (directory) => {
      rmSync(join(directory, 'lock.mdb'))
      chmodSync(directory, 0o500)
    },
    told: /lock\.mdb: EACCES: permission denied/,
  },
  'the data are of root': {
    spoil: (directory) => chownSync(join(directory, 'data.mdb'), 0, 0),
    told: /data\.mdb: it belongs to user 0, and this process runs as user 54321: chown it \(EACCES\)$/,
  },
}

describe('opening the data of a directory', { skip: onlyRoot }, () => {
  test(
    'works for the owner',
    ofUser('a store', async (directory) => {
      assert.deepEqual(await openedBy(USER, directory), { opened: true })
      assert.deepEqual(await openedBy(USER, directory, 'only-read'), { opened: true })
    }),
  )

  for (const [what, { spoil, told }] of Object.entries(refused)) {
    test(
      `is refused in one line, and ends no process, when ${what}`,
      ofUser('a store', async (directory) => {
        spoil(directory)
        const answer = await openedBy(USER, directory, 'only-read')
        assert.ok('message' in answer, 'it was opened')
        assert.equal(answer.name, 'OperatorError')
        assert.match(answer.message, told)
        assert.ok(answer.message.startsWith(`the data directory ${directory} cannot be used: `), answer.message)
        assert.ok(!answer.message.includes('\n'))
      }),
    )
  }

  test(
    'is refused when data that are only read by others are to be written',
    ofUser('a store', async (directory) => {
      chmodSync(join(directory, 'data.mdb'), 0o400)
      const answer = await openedBy(USER, directory)
      assert.match('message' in answer ? answer.message : '', /data\.mdb: EACCES: permission denied/)
      assert.deepEqual(await openedBy(USER, directory, 'only-read'), { opened: true })
    }),
  )

  test(
    'by root leaves files that the owner of the directory can open',
    ofUser('a store', async (directory) => {
      rmSync(join(directory, 'lock.mdb'))
      assert.deepEqual(await openedBy(0, directory, 'only-read'), { opened: true })
      assert.deepEqual(await openedBy(USER, directory), { opened: true })
    }),
  )

  test(
    'by root, where there is none yet, makes all of it for the owner of the directory',
    ofUser('nothing', async (directory) => {
      assert.deepEqual(await openedBy(0, directory), { opened: true })
      const owners = readdirSync(directory).map((name) => {
        const { uid, gid, mode } = statSync(join(directory, name))
        return [name, uid, gid, mode & 0o777]
      })
      assert.deepEqual(owners, [
        ['data.mdb', USER, USER, 0o600],
        ['lock.mdb', USER, USER, 0o600],
      ])
      assert.deepEqual(await openedBy(USER, directory), { opened: true })
    }),
  )

  test(
    'is refused in one line when the disk cannot read them',
    { skip: unreadable() },
    ofUser('nothing', async (directory) => {
      symlinkSync(UNREADABLE, join(directory, 'data.mdb'))
      const answer = await openedBy(0, directory, 'only-read')
      assert.ok('message' in answer && answer.name === 'OperatorError', JSON.stringify(answer))
      assert.match(answer.message, /holds a damaged or foreign database: E[A-Z]+: [^\n]+, read$/)
    }),
  )

  test(
    'by root makes nothing where a link of the owner leads',
    ofUser('nothing', async (directory) => {
      const elsewhere = join(directory, '..', 'elsewhere')
      symlinkSync(elsewhere, join(directory, 'data.mdb'))
      const answer = await openedBy(0, directory)
      assert.match('message' in answer ? answer.message : '', /data\.mdb is a link that leads nowhere$/)
      assert.equal(existsSync(elsewhere), false)
    }),
  )

  test(
    'by root gives nothing away that the owner has linked into the directory',
    ofUser('a store', async (directory) => {
      const secret = join(directory, '..', 'secret')
      writeFileSync(secret, 'of root', { mode: 0o600 })
      rmSync(join(directory, 'lock.mdb'))
      symlinkSync(secret, join(directory, 'lock.mdb'))
      const answer = await openedBy(0, directory)
      assert.match('message' in answer ? answer.message : '', /lock\.mdb: it is no file$/)
      assert.deepEqual([statSync(secret).uid, statSync(secret).size, existsSync(secret)], [0, 7, true])
    }),
  )
})
