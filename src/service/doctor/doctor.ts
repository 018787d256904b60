import type { WorkRecord } from '../../http/routes/work-answer.js'
import { StorageUnavailable } from '../../store/refusals.js'
import { examineClock } from './clock.js'
import { examineData } from './data.js'
import { examineDatabase } from './database.js'
import { type DoctorContext, type Examination, type Finding, failed, skipped } from './examination.js'
import { examineLedger } from './ledger.js'
import { examineDescriptors, examineDisk, examineEngines, examineSettings } from './machine.js'
import { examineCallbacks, examineNetworks } from './peers.js'
import { examineProxy } from './proxy.js'
import { examineRates } from './rates.js'

/** In this order. A new one is a line here. */
const EXAMINATIONS: Readonly<Record<string, Examination>> = {
  settings: examineSettings,
  engines: examineEngines,
  'open files': examineDescriptors,
  data: examineData,
  disk: examineDisk,
  database: examineDatabase,
  clock: examineClock,
  networks: examineNetworks,
  ledger: examineLedger,
  rates: examineRates,
  'public URL': examineProxy,
  callbacks: examineCallbacks,
}

/** Examines everything, and yields each finding when it is there. */
export async function* examine(context: DoctorContext): AsyncGenerator<WorkRecord> {
  const counts = { ok: 0, warning: 0, failed: 0, skipped: 0 }
  for (const [name, examination] of Object.entries(EXAMINATIONS)) {
    for (const finding of await findingsOf(name, examination, context)) {
      counts[finding.verdict] += 1
      yield { type: 'item', item: finding }
    }
  }
  yield { type: 'done', result: counts }
}

async function findingsOf(name: string, examination: Examination, context: DoctorContext): Promise<readonly Finding[]> {
  try {
    return await examination(context)
  } catch (error) {
    // The examination of the data or of the database says why, and what to do.
    if (error instanceof StorageUnavailable) return [skipped(name, 'The store, which this needs, cannot be used now.')]
    return [failed(name, `It could not be examined: ${(error as Error).message}.`, 'See the log.')]
  }
}
