/** Schemas of JSON Schema 2020-12, which OpenAPI 3.1 uses. */

export type Schema = Readonly<Record<string, unknown>>

/** A text; `more` adds to it. */
export function text(description: string, more: Schema = {}): Schema {
  return { type: 'string', description, ...more }
}

/** Lower-case hex digits. */
export function hex(digits: number, description: string): Schema {
  return text(description, { pattern: `^[0-9a-f]{${digits}}$` })
}

/** The id of an invoice. Ours are lower-case and in order of time; an imported one may be any 32 hex characters. */
export function invoiceId(description: string): Schema {
  return text(description, { pattern: '^[0-9A-Fa-f]{32}$' })
}

/** A decimal number as text. */
export function decimal(description: string): Schema {
  return text(description, { pattern: '^([0-9]+(\\.[0-9]+)?|\\.[0-9]+)$' })
}

/** Unix milliseconds. */
export function time(description: string): Schema {
  return { type: 'integer', format: 'int64', minimum: 0, description }
}

export function whole(description: string, more: Schema = {}): Schema {
  return { type: 'integer', description, ...more }
}

export function oneOf(values: readonly string[], description: string): Schema {
  return text(description, { enum: values })
}

/** The schema, or null. */
export function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema
  if (typeof type !== 'string') throw new Error('only a schema with one type can be null as well')
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) }
}

/** An object whose fields are all there, but for those that `optional` names. */
export function record(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties }
}

export function list(items: Schema, more: Schema = {}): Schema {
  return { type: 'array', items, ...more }
}
