import { blamedFields, type FailureCode, failure } from '../../domain/failure.js'
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
  invalid_sandbox_deposit: 'amount',
  invalid_query: SAMPLES.parameter,
}

export function exampleOf(code: FailureCode) {
  const { message } = failure(code, SAMPLES)
  const field = blamedFields[code] ?? SAMPLE_FIELDS[code]
  return {
    summary: failureOccasions[code],
    value: field === undefined ? { error: message, code } : { error: message, code, field },
  }
}
