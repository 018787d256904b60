/**
 * The records of the specification as tests of each field, in the order in which they are answered. They are written from
 * the specification's tables and share no code with the service.
 */
type Field = (value: unknown) => boolean
export type Shape = Readonly<Record<string, Field>>

const isText: Field = (value) => typeof value === 'string' && value !== '' && value.isWellFormed()
const isTime: Field = (value) => Number.isSafeInteger(value) && Number(value) > 0
const isDecimal: Field = (value) => typeof value === 'string' && /^\d*(\.\d+)?$/.test(value) && value !== ''
const isBoolean: Field = (value) => typeof value === 'boolean'

function isHex(length: number): Field {
  return (value) => typeof value === 'string' && value.length === length && /^[0-9a-f]+$/.test(value)
}

function isTextUpTo(codePoints: number): Field {
  return (value) => isText(value) && typeof value === 'string' && [...value].length <= codePoints
}

function orNull(field: Field): Field {
  return (value) => value === null || field(value)
}

function isOneOf(...values: readonly unknown[]): Field {
  return (value) => values.includes(value)
}

const isNetwork = isOneOf('SEP', 'TRX-NILE')

export const apiKeyShape: Shape = {
  id: isHex(16),
  owner: isText,
  label: isTextUpTo(60),
  public_key: (value) => typeof value === 'string' && /^(0x)?0[23][0-9a-f]{64}$/i.test(value),
  permissions: (value) =>
    typeof value === 'string' && /^(invoices:create|payments:send|treasury:approve)(,(?!,)[a-z:]+)*$/.test(value),
  expires_at: orNull(isTime),
  revoked_at: orNull(isTime),
  created_at: isTime,
}

export const createdShape: Shape = {
  id: isHex(32),
  url: (value) => typeof value === 'string' && /^\/pay\/[0-9a-f]{32}$/.test(value),
}

export const invoiceShape: Shape = {
  id: isHex(32),
  owner: isText,
  wallet_id: isText,
  wallet_ids: orNull(isText),
  name: isTextUpTo(80),
  description: orNull(isTextUpTo(500)),
  reference: orNull(isTextUpTo(80)),
  amount: isDecimal,
  currency: isOneOf('native', 'USDT'),
  callback_url: orNull((value) => typeof value === 'string' && /^https?:\/\//i.test(value)),
  created_at: isTime,
}

export const paymentShape: Shape = {
  status: isOneOf('unpaid', 'paid'),
  received: isDecimal,
  pending: isDecimal,
  remaining: isDecimal,
  overpaid: isDecimal,
  own: isDecimal,
}

export const invoiceWithPaymentShape: Shape = {
  ...invoiceShape,
  payment: (value) => flawOfRecord(value, paymentShape) === null,
}

export const webhookShape: Shape = {
  owner: isText,
  callback_url: orNull(isText),
  secret: orNull(isHex(64)),
  created_at: orNull(isTime),
  updated_at: orNull(isTime),
}

export const depositShape: Shape = {
  network: isNetwork,
  txHash: isTextUpTo(128),
  index: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  toAddress: isTextUpTo(128),
  // The label as the observer wrote it, known or not.
  currency: (value) => value === null || value === '' || isText(value),
  amount: isDecimal,
  receivedAt: isTime,
  kind: isOneOf('pending', 'confirmed', 'dropped'),
  confirmedAt: orNull(isTime),
}

export const walletShape: Shape = {
  id: isTextUpTo(128),
  address: orNull(isTextUpTo(128)),
  network: orNull(isNetwork),
  assigned_at: isTime,
}

export const claimedShape: Shape = { id: isText, address: isText }
export const existsShape: Shape = { exists: isBoolean }
export const deletedShape: Shape = { deleted: isBoolean }

/** What is wrong with a record, in words; null when it has exactly the fields of the shape, each as it should be. */
export function flawOfRecord(value: unknown, shape: Shape): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is no record'
  const entries = Object.entries(value)
  const names = entries.map(([name]) => name)
  const missing = Object.keys(shape).filter((name) => !names.includes(name))
  if (missing.length > 0) return `the record lacks ${missing.join()}`
  for (const [name, field] of entries) {
    const test = shape[name]
    if (test === undefined) return `the record has a field ${name}`
    if (!test(field)) return `the record's ${name} is ${JSON.stringify(field)}`
  }
  return null
}

/** The same for a list of records. */
export function flawOfList(value: unknown, shape: Shape): string | null {
  if (!Array.isArray(value)) return 'it is no list'
  for (const record of value) {
    const flaw = flawOfRecord(record, shape)
    if (flaw !== null) return flaw
  }
  return null
}
