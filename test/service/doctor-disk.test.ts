import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examineDisk } from '../../src/service/doctor/machine.js'
import { noSmallDisk, smallDisk } from '../support/small-disk.js'

test('the doctor tells what to do about a full disk, and how much is free', { skip: noSmallDisk }, async (t) => {
  const disk = smallDisk(1 << 20)
  t.after(() => disk.remove())
  disk.fill(0)
  const { path } = disk
  const findings = await examineDisk({ settings: { dataDirectory: path, store: 'lmdb' } } as Parameters<
    typeof examineDisk
  >[0])
  const told = findings.map(({ verdict, text, advice }) => `${verdict}: ${text} ${advice}`)
  assert.deepEqual(told, [
    `failed: 0 MiB are free in ${path}. Free some space, or move the data.`,
    `failed: ${path} is in memory. Choose a directory on a disk: a restart loses everything.`,
    `failed: ${path} takes no write: ENOSPC: no space left on device, write. Free some space, or replace the disk.`,
  ])
})
