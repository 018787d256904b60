import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { examineDisk } from '../../src/service/doctor/machine.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

test('the doctor tells what to do about a full disk, and how much is free', async (t) => {
  const place = temporaryDirectory()
  const disk = join(place.path, 'disk')
  mkdirSync(disk)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'billhook-test', disk]).status !== 0) {
    t.skip('mounting a tmpfs is not permitted')
    place.remove()
    return
  }
  t.after(() => {
    execFileSync('umount', [disk])
    place.remove()
  })
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize))
  const findings = await examineDisk({ settings: { dataDirectory: disk, store: 'lmdb' } } as Parameters<
    typeof examineDisk
  >[0])
  const told = findings.map(({ verdict, text, advice }) => `${verdict}: ${text} ${advice}`)
  assert.deepEqual(told, [
    `failed: 0 MiB are free in ${disk}. Free some space, or move the data.`,
    `failed: ${disk} is in memory. Choose a directory on a disk: a restart loses everything.`,
    `failed: ${disk} takes no write: ENOSPC: no space left on device, write. Free some space, or replace the disk.`,
  ])
})
