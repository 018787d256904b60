import type { Settings } from '../../config.js'
import { flawOfDataFile, hasDataFile } from '../../store/lmdb/file/data-file.js'
import { holderOf } from '../../store/lmdb/file/directory-lock.js'
import { keepsOwnData } from '../open-store.js'
import { type Examination, type Finding, failed, ok, warning } from './examination.js'

const NAME = 'data'

/** The data directory that no service answers for: whether it can be opened, and holds anything. A service has opened its own. */
export const examineData: Examination = async ({ settings, running }) =>
  running !== null || !keepsOwnData(settings) ? [] : [dataOf(settings)]

function dataOf({ dataDirectory: directory, create }: Settings): Finding {
  if (!hasDataFile(directory)) {
    const text = `${directory} holds no data.`
    const advice = 'See that it is the right one and that its volume is mounted'
    if (!create) return failed(NAME, text, `${advice}: BILLHOOK_CREATE=off lets no new store begin there.`)
    return warning(NAME, text, `${advice}: a start would begin a new, empty store there.`)
  }
  const holder = holderOf(directory)
  if (holder !== null) {
    const text = `${directory} is in use by another process (${holder}), which answers no commands.`
    return warning(NAME, text, 'It may be starting or migrating the data: see its log.')
  }
  const flaw = flawOfDataFile(directory, 'branches')
  if (flaw === null) return ok(NAME, `No service runs on ${directory}. Its data can be opened.`)
  return failed(
    NAME,
    `${directory} is damaged: ${flaw}.`,
    'Keep it, and restore a backup: see docs/operating/backup.md.',
  )
}
