import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/clock.js'
import { readSettings } from '../../src/config.js'
import { createLog } from '../../src/log.js'
import type { Service } from '../../src/service/running-service.js'
import { startService } from '../../src/service.js'

/** The whole service with its sandbox, on a free port of loopback and a data directory of its own. */
export interface RunningSandbox {
  readonly service: Service
  /** Stops the service and removes its data. */
  stop(): Promise<void>
}

export async function runSandbox(): Promise<RunningSandbox> {
  const directory = await mkdtemp(join(tmpdir(), 'billhook-test-'))
  const read = readSettings(['--sandbox', '--port', '0', '--data', directory], {})
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  const service = await startService(read.settings, createLog('silent'), systemClock)
  return {
    service,
    async stop() {
      await service.stop()
      await rm(directory, { recursive: true })
    },
  }
}
