import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { createDatabase } from '../support/postgres-harness.js'
import type { PostgresServer } from '../support/postgres-server.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const SANDBOX = ['--sandbox']
const WAIT_MS = 20_000
const ASK_AGAIN_MS = 20

/** A database, and services in processes of their own on it. */
export interface Setting {
  readonly server: PostgresServer
  /** The address of the database. */
  readonly store: string
  /** Starts a service with a data directory of its own. */
  start(flags?: readonly string[]): { readonly ready: Promise<ServiceProcess>; readonly data: string }
}

/** Runs a scenario on a database of its own, and ends the services that it has started. */
export async function onDatabase(
  server: PostgresServer | null,
  scenario: (setting: Setting) => Promise<void>,
): Promise<void> {
  assert.ok(server !== null)
  const store = await createDatabase(server)
  const started: { readonly ready: Promise<ServiceProcess>; readonly remove: () => void }[] = []
  try {
    await scenario({
      server,
      store,
      start(flags = SANDBOX) {
        const directory = temporaryDirectory()
        const ready = ServiceProcess.start(directory.path, { BILLHOOK_STORE: store, BILLHOOK_METRICS_PORT: '0' }, flags)
        ready.catch(() => {})
        started.push({ ready, remove: () => directory.remove() })
        return { ready, data: directory.path }
      },
    })
  } finally {
    for (const { ready, remove } of started) {
      await ready.then((service) => service.stop()).catch(() => {})
      remove()
    }
  }
}

export async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + WAIT_MS
  while (!(await isSo())) {
    if (performance.now() > end) assert.fail(`not in time: ${what}`)
    await setTimeout(ASK_AGAIN_MS)
  }
}

/** Resolves when a page was told of its present state, and of a change. */
export async function changesLive(url: string, onOpen: () => void): Promise<void> {
  const stop = new AbortController()
  const answer = await fetch(url, { signal: stop.signal, headers: { Accept: 'text/event-stream' } })
  assert.equal(answer.status, 200)
  let said = ''
  for await (const chunk of answer.body ?? []) {
    said += Buffer.from(chunk).toString()
    const changes = said.match(/^event: changed$/gm)?.length ?? 0
    if (changes === 1) onOpen()
    if (changes > 1) break
  }
  stop.abort()
}
