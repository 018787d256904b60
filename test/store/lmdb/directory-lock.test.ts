import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '../../../src/operator-error.js'
import { holderOf, lockDirectory } from '../../../src/store/lmdb/file/directory-lock.js'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { endChild } from '../../support/child-process.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock } from '../../support/manual-clock.js'
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.js'

function withDirectory(run: (directory: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const directory: TemporaryDirectory = temporaryDirectory()
    try {
      await run(directory.path)
    } finally {
      directory.remove()
    }
  }
}

function open(directory: string) {
  return openLmdbStore(lmdbStoreOptions(directory, new ManualClock()))
}

async function holdElsewhere(directory: string): Promise<{ readonly child: ChildProcess; readonly said: unknown }> {
  const child = fork(fileURLToPath(new URL('./hold-directory.js', import.meta.url)), [directory])
  const ended = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`it ended with ${code} and said nothing`)),
  )
  const [said] = await Promise.race([once(child, 'message'), ended])
  return { child, said }
}

function inUse(directory: string) {
  return (error: unknown) => {
    assert.ok(error instanceof OperatorError)
    assert.ok(error.message.includes(directory), error.message)
    assert.match(error.message, /in use by another process \(pid \d+\)/)
    return true
  }
}

describe('the data directory of an LMDB store', () => {
  test(
    'is made when it is not there, parents included',
    withDirectory(async (parent) => {
      const store = await open(join(parent, 'a', 'b'))
      await store.close()
    }),
  )

  test(
    'is taken once in a process, and free again after close',
    withDirectory(async (directory) => {
      const store = await open(directory)
      await assert.rejects(open(directory), inUse(directory))
      assert.equal(store.identities.isKnown('alice'), false)
      await store.close()
      await (await open(directory)).close()
    }),
  )

  test(
    'is refused to another process while this one has it',
    withDirectory(async (directory) => {
      const store = await open(directory)
      const { child, said } = await holdElsewhere(directory)
      await endChild(child)
      await store.close()
      assert.deepEqual(said, {
        opened: false,
        name: 'OperatorError',
        message: `the data directory ${directory} is in use by another process (pid ${process.pid})`,
      })
    }),
  )

  test(
    'is refused while another process has it, and free with all its data when that one is killed',
    withDirectory(async (directory) => {
      const { child, said } = await holdElsewhere(directory)
      try {
        assert.deepEqual(said, { opened: true })
        await assert.rejects(open(directory), inUse(directory))
      } finally {
        await endChild(child)
      }
      const store = await open(directory)
      assert.equal(store.invoices.findByReference('durable')?.owner, 'alice')
      await store.close()
    }),
  )

  test(
    'is known to have been left by a process that did not release it, until it was opened',
    withDirectory(async (directory) => {
      await (await open(directory)).close()
      const lock = join(directory, 'billhook.lock')
      const taken = lockDirectory(directory)
      taken.release()
      assert.equal(taken.before, 'peace')
      writeFileSync(join(directory, 'data.mdb.kept'), readFileSync(join(directory, 'data.mdb')))
      // As a process leaves it that is killed.
      unlinkSync(lock)
      writeFileSync(lock, 'pid 1\n')
      writeFileSync(join(directory, 'data.mdb'), '')
      for (let i = 0; i < 2; i += 1) await assert.rejects(open(directory), /it is empty/)
      assert.match(readFileSync(lock, 'utf8'), /^pid \d+\n$/)
      renameSync(join(directory, 'data.mdb.kept'), join(directory, 'data.mdb'))
      let left = 0
      const store = await openLmdbStore({
        ...lmdbStoreOptions(directory, new ManualClock()),
        onLeft: () => {
          left += 1
        },
      })
      await store.close()
      assert.deepEqual([left, readFileSync(lock, 'utf8')], [1, ''])
    }),
  )

  test(
    'is known to hold damage after a process that came across it, until it was opened',
    withDirectory(async (directory) => {
      await (await open(directory)).close()
      lockDirectory(directory).release('damage')
      for (let i = 0; i < 2; i += 1) {
        const lock = lockDirectory(directory)
        assert.equal(lock.before, 'damage')
        assert.equal(lock.release('refusal'), undefined)
      }
      let left = 0
      const onLeft = () => {
        left += 1
      }
      await (await openLmdbStore({ ...lmdbStoreOptions(directory, new ManualClock()), onLeft })).close()
      assert.equal(left, 0)
      const lock = lockDirectory(directory)
      assert.equal(lock.before, 'peace')
      lock.release()
    }),
  )

  test(
    'is refused when its lock is a link, and what the link names stays as it is',
    withDirectory(async (directory) => {
      const other = join(directory, 'other')
      writeFileSync(other, 'contents')
      symlinkSync(other, join(directory, 'billhook.lock'))
      await assert.rejects(open(directory), /cannot be used: ELOOP/)
      assert.equal(readFileSync(other, 'utf8'), 'contents')
    }),
  )

  test(
    'that is a file is refused with its path',
    withDirectory(async (parent) => {
      const file = join(parent, 'file')
      writeFileSync(file, 'hello')
      await assert.rejects(open(file), (error) => error instanceof OperatorError && error.message.includes(file))
    }),
  )

  test(
    'that holds a directory where the database should be is refused, and the lock given back',
    withDirectory(async (directory) => {
      mkdirSync(join(directory, 'data.mdb'))
      for (let i = 0; i < 2; i += 1) {
        await assert.rejects(
          open(directory),
          (error) => error instanceof OperatorError && /foreign/.test(error.message),
        )
      }
    }),
  )
})

test(
  'a directory of another user is refused with its owner',
  {
    skip: process.geteuid?.() === 0 ? false : 'only root can become another user',
  },
  () =>
    withDirectory(async (directory) => {
      chmodSync(directory, 0o700)
      process.seteuid?.(54_321)
      try {
        assert.throws(() => lockDirectory(directory), {
          name: 'OperatorError',
          message: `the data directory ${directory} cannot be used: it belongs to user 0, and this process runs as user 54321: chown it (EACCES)`,
        })
      } finally {
        process.seteuid?.(0)
      }
    })(),
)

test('who holds a directory is told without taking it', () =>
  withDirectory(async (directory) => {
    assert.equal(holderOf(directory), null)
    const lock = lockDirectory(directory)
    assert.equal(holderOf(directory), `pid ${process.pid}`)
    assert.throws(() => lockDirectory(directory), inUse(directory))
    lock.release()
    assert.equal(holderOf(directory), null)
    lockDirectory(directory).release()
  })())
