import { existsSync, statSync } from 'node:fs'
import { mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'

import { chooseServer } from '../../http/choose-server.js'
import { chooseEngine } from '../../verify/engine-choice.js'
import { planDescriptors } from '../descriptors.js'
import { keepsOwnData } from '../open-store.js'
import { hasWallets, startWarnings } from '../start-warnings.js'
import { type Examination, type Finding, failed, ok, skipped, warning } from './examination.js'

const FLUSHES = 50
/** A block of the file system, which is what a small commit writes. */
const FLUSHED_BYTES = 4096
/** Every creation waits for a flush: above this, latency is the disk's. */
const SLOW_FLUSH_MS = 20
const LOW_SPACE_BYTES = 1024 ** 3
const NO_SPACE_BYTES = 64 * 1024 ** 2
/** `statfs` of a file system in memory (`TMPFS_MAGIC`, linux/magic.h). */
const TMPFS = 0x0102_1994
const OPEN_TO_OTHERS = 0o077
/** Errors of a disk that is full, damaged or mounted read-only. */
const REFUSED_WRITES: readonly string[] = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS']
const MIB = 1024 ** 2

/** Settings that are valid and yet unlikely to be meant. */
export const examineSettings: Examination = async ({ settings, running }) => {
  const doubts = startWarnings(settings, running !== null && (await hasWallets(running.store)))
  if (doubts.length === 0) return [ok('settings', 'The settings are valid.')]
  return doubts.map((doubt) => warning('settings', `${doubt}.`))
}

/** The HTTP server and the signature engine that this machine gets. */
export const examineEngines: Examination = async ({ settings }) => {
  const [server, { engine, reason }] = await Promise.all([
    chooseServer(settings.httpServer),
    chooseEngine(settings.verifyEngine),
  ])
  const slow: Finding[] = []
  if (server.name === 'node' && settings.httpServer !== 'node') {
    slow.push(warning('HTTP server', server.reason, 'Use Node 20 or 22, or the single binary, for uWebSockets.js.'))
  }
  if (engine.name === 'noble' && settings.verifyEngine !== 'noble') {
    slow.push(warning('signature engine', reason, 'Signatures are verified slower: see docs/sizing.md.'))
  }
  return slow.length > 0 ? slow : [ok('engines', `HTTP by ${server.name}, signatures by ${engine.name}.`)]
}

export const examineDescriptors: Examination = async ({ settings }) => {
  const { isShort, connections, webhooks, descriptors } = planDescriptors(settings.webhookConcurrency)
  const text = `${descriptors ?? 'unlimited'} open files: room for ${connections} connections and ${webhooks} webhooks at once.`
  return [
    isShort ? warning('open files', text, 'Raise the limit, for instance LimitNOFILE=65536.') : ok('open files', text),
  ]
}

/** The disk under the data directory, or under the nearest directory that exists: free space, and how long a flush takes. */
export const examineDisk: Examination = async ({ settings }) => {
  if (!keepsOwnData(settings)) return [skipped('disk', 'The state is in a database.')]
  const directory = existing(settings.dataDirectory)
  const findings: Finding[] = []
  const { bavail, bsize, type } = await statfs(directory)
  const freeBytes = bavail * bsize
  const text = `${Math.floor(freeBytes / MIB)} MiB are free in ${directory}.`
  if (freeBytes < NO_SPACE_BYTES) findings.push(failed('disk space', text, 'Free some space, or move the data.'))
  else if (freeBytes < LOW_SPACE_BYTES) findings.push(warning('disk space', text, 'Plan for more: see docs/sizing.md.'))
  else findings.push(ok('disk space', text))
  if (type === TMPFS) {
    findings.push(
      failed('disk', `${directory} is in memory.`, 'Choose a directory on a disk: a restart loses everything.'),
    )
  }
  const mode = statSync(directory).mode & OPEN_TO_OTHERS
  if (directory === settings.dataDirectory && mode !== 0) {
    findings.push(warning('data directory', `Other users can enter ${directory}.`, `chmod 700 ${directory}`))
  }
  findings.push(await flushLatency(directory))
  return findings
}

async function flushLatency(directory: string): Promise<Finding> {
  let tookMs: readonly number[]
  try {
    tookMs = await flushTimes(directory)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!REFUSED_WRITES.includes(code ?? '')) throw error
    return failed('disk', `${directory} takes no write: ${message}.`, 'Free some space, or replace the disk.')
  }
  const median = tookMs[FLUSHES / 2] ?? 0
  const text = `A flush takes ${median.toFixed(2)} ms, at worst ${(tookMs.at(-1) ?? 0).toFixed(2)} ms (of ${FLUSHES}).`
  if (median <= SLOW_FLUSH_MS) return ok('flush', text)
  return warning('flush', text, 'Every creation waits for a flush: use a faster disk.')
}

/** How long a small write and its flush took, in ms, sorted. */
async function flushTimes(directory: string): Promise<readonly number[]> {
  const scratch = await mkdtemp(join(directory, '.doctor-'))
  try {
    const file = await open(join(scratch, 'flush'), 'w', 0o600)
    const block = Buffer.alloc(FLUSHED_BYTES, 1)
    const tookMs: number[] = []
    try {
      for (let i = 0; i < FLUSHES; i += 1) {
        const startedAt = performance.now()
        await file.write(block, 0, FLUSHED_BYTES, i * FLUSHED_BYTES)
        await file.datasync()
        tookMs.push(performance.now() - startedAt)
      }
    } finally {
      await file.close()
    }
    return tookMs.sort((a, b) => a - b)
  } finally {
    await rm(scratch, { recursive: true })
  }
}

function existing(directory: string): string {
  let at = directory
  while (!existsSync(at)) at = join(at, '..')
  return at
}
