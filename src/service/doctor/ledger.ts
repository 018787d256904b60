import { checkLedger } from '../../ledger/ledger-check.js'
import { configuredLedger } from '../ledger.js'
import { type Examination, skipped } from './examination.js'

const NAME = 'ledger'

/** Every store and every read API of the ledger, and the contracts that are named. */
export const examineLedger: Examination = async ({ settings }) => {
  const { ledgerUrls, ledgerStoreUrls } = settings
  if (ledgerUrls.length === 0 && ledgerStoreUrls.length === 0) return [skipped(NAME, 'No ledger is configured.')]
  const findings = await checkLedger(configuredLedger(settings))
  return findings.map(({ verdict, text, advice }) => ({
    name: NAME,
    verdict,
    text,
    ...(advice === null ? {} : { advice }),
  }))
}
