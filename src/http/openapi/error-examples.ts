import { blamedFields, detailsOfFailures, type FailureCode, failure } from '../../domain/failure.js'
import { SPECIFIED_TERMS } from '../../domain/invoice.js'
import { failureOccasions } from '../failure-occasions.js'

/** What fills the places of messages in examples. */
const SAMPLES = {
  permission: 'invoices:create',
  amount: '25.00',
  currency: 'USDT',
  reason: 'amount is needed with an address',
  parameter: 'referense',
}

const SAMPLE_FIELDS: Readonly<Partial<Record<FailureCode, string>>> = {
  invalid_api_key_registration: 'label',
  invalid_invoice: 'amount',
  invalid_order: 'name',
  invalid_sandbox_deposit: 'amount',
  invalid_query: SAMPLES.parameter,
}

const SAMPLE_DETAILS = {
  wallet: '6a7a00d0c2b04bb2',
  reason: 'not_assigned',
  supported: SPECIFIED_TERMS.currencies,
  coin: 'ETH',
} as const

export function exampleOf(code: FailureCode) {
  const { message } = failure(code, SAMPLES)
  const field = blamedFields[code] ?? SAMPLE_FIELDS[code]
  const value = { error: message, code, ...(field === undefined ? {} : { field }), ...detailsIn(code) }
  return { summary: failureOccasions[code], value }
}

function detailsIn(code: FailureCode) {
  const names: readonly (keyof typeof SAMPLE_DETAILS)[] =
    code in detailsOfFailures ? detailsOfFailures[code as keyof typeof detailsOfFailures] : []
  return Object.fromEntries(names.map((name) => [name, SAMPLE_DETAILS[name]]))
}
