import fc from 'fast-check'
import type { JsonSchema } from '../http/openapi/contract.js'
import { asObject, hostileEntries } from './hostile-values.js'

/*
 * Values drawn from the schemas of the OpenAPI document: what a schema allows, and what lies at and beyond its bounds. Only the
 * keywords that the document uses are known; another one throws.
 */

const KNOWN: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'oneOf', 'description', 'default', 'format'],
  ...['pattern', 'not', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum'],
  ...['items', 'minItems', 'uniqueItems', 'maxItems', 'contains', 'properties', 'required'],
  ...['additionalProperties', 'propertyNames', 'minProperties', 'maxProperties'],
])

/** Of texts and lists without a bound of their own. */
const TEXT_MAX = 90
const LIST_MAX = 4
const NUMBER_MAX = 2 ** 53

/** Replaces the values of some fields, by name: those that must name what exists, and those that must stay on this machine. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** Mostly what the schema allows, sometimes its bounds. The fields of an object may be hostile, missing or repeated too. */
export function valuesOf(schema: JsonSchema, known: Known = {}): fc.Arbitrary<unknown> {
  for (const keyword of Object.keys(schema)) {
    if (!KNOWN.has(keyword)) throw new Error(`the fuzzer does not know the keyword ${keyword}`)
  }
  const bounds = boundsOf(schema)
  const allowed = { weight: 10, arbitrary: allowedBy(schema, known) }
  return bounds.length === 0
    ? allowed.arbitrary
    : fc.oneof(allowed, { weight: 2, arbitrary: fc.constantFrom(...bounds) })
}

/** The fields of an object's schema, for `hostileEntries`. */
export function fieldsOf(schema: JsonSchema, known: Known): Known {
  return Object.fromEntries(
    Object.entries(schemasIn(schema, 'properties')).map(([name, field]) => [
      name,
      known[name] === undefined
        ? valuesOf(field, known)
        : fc.oneof(
            { weight: 10, arbitrary: known[name] },
            { weight: 2, arbitrary: fc.constantFrom(...boundsOf(field), null) },
          ),
    ]),
  )
}

/** An object that the schema allows, whatever of it is optional. */
export function allowedObject(schema: JsonSchema, known: Known): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const properties = Object.entries(schemasIn(schema, 'properties'))
  const fields = Object.fromEntries(properties.map(([name, field]) => [name, known[name] ?? allowedBy(field, known)]))
  return fc.record(fields, { requiredKeys: (schema['required'] ?? []) as string[] })
}

function allowedBy(schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  const { type, enum: values, const: only, oneOf } = schema
  if (only !== undefined) return fc.constant(only)
  if (Array.isArray(values)) return fc.constantFrom(...values)
  if (Array.isArray(oneOf)) return fc.oneof(...oneOf.map((one: JsonSchema) => valuesOf(one, known)))
  if (Array.isArray(type)) return fc.oneof(...type.map((one: string) => allowedBy({ ...schema, type: one }, known)))
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({
        min: number(schema, 'minimum', -NUMBER_MAX + 1),
        max: number(schema, 'maximum', NUMBER_MAX - 1),
      })
    case 'number':
      return fc.double({ min: number(schema, 'exclusiveMinimum', 0), minExcluded: true, max: 1000, noNaN: true })
    case 'string':
      return textOf(schema)
    case 'array':
      return listOf(schema, known)
    case 'object':
      return schema['additionalProperties'] === undefined
        ? hostileEntries(fieldsOf(schema, known)).map(asObject)
        : dictionaryOf(schema, known)
    default:
      throw new Error(`the fuzzer does not know the type ${String(type)}`)
  }
}

function textOf(schema: JsonSchema): fc.Arbitrary<string> {
  const { pattern, not } = schema
  const minLength = number(schema, 'minLength', 0)
  const maxLength = number(schema, 'maxLength', TEXT_MAX)
  const any = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, TEXT_MAX) })
  if (typeof pattern !== 'string') return any
  const forbidden = new RegExp((not as { readonly pattern: string } | undefined)?.pattern ?? '$^', 'u')
  return fc
    .stringMatching(new RegExp(pattern, 'u'))
    .filter((text) => text.length >= minLength && text.length <= maxLength && !forbidden.test(text))
}

function listOf(schema: JsonSchema, known: Known): fc.Arbitrary<readonly unknown[]> {
  const items = valuesOf(schema['items'] as JsonSchema, known)
  const minLength = number(schema, 'minItems', 0)
  const bounds = { minLength, maxLength: Math.max(minLength, LIST_MAX) }
  const list = schema['uniqueItems'] === true ? fc.uniqueArray(items, bounds) : fc.array(items, bounds)
  const contained = schema['contains'] as JsonSchema | undefined
  if (contained === undefined) return list
  return fc.tuple(list, allowedBy(contained, known)).map(([before, one]) => [...before, one])
}

/** An object whose names are free. */
function dictionaryOf(schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  const { propertyNames = {}, additionalProperties } = schema
  const name = textOf(propertyNames as JsonSchema)
  const value = valuesOf(additionalProperties as JsonSchema, known)
  const minLength = number(schema, 'minProperties', 0)
  return fc.array(fc.tuple(name, value), { minLength, maxLength: LIST_MAX }).map(asObject)
}

/** Values at and just beyond every bound that the schema names. */
function boundsOf(schema: JsonSchema): readonly unknown[] {
  const numbers = ['minimum', 'maximum', 'exclusiveMinimum'].flatMap((name) => {
    const bound = schema[name]
    return typeof bound === 'number' ? [bound, bound - 1, bound + 1, bound + 0.5, String(bound), bound + 1e-7] : []
  })
  const lengths = ['minLength', 'maxLength'].flatMap((name) => {
    const bound = schema[name]
    return typeof bound === 'number' ? ['9', '😀'].flatMap((one) => lengthsAround(bound).map((n) => one.repeat(n))) : []
  })
  const counts = ['minItems', 'maxItems'].flatMap((name) => {
    const bound = schema[name]
    return typeof bound === 'number' ? lengthsAround(bound).map((n) => Array(n).fill('x')) : []
  })
  const sizes = ['minProperties', 'maxProperties'].flatMap((name) => {
    const bound = schema[name]
    return typeof bound === 'number'
      ? lengthsAround(bound).map((n) => asObject(Array.from({ length: n }, (_, i) => [`key ${i}`, 'x'])))
      : []
  })
  const words = Array.isArray(schema['enum'])
    ? schema['enum'].flatMap((one) =>
        typeof one === 'string' ? [one.toUpperCase(), one.toLowerCase(), `${one} `, [one]] : [],
      )
    : []
  return [...numbers, ...lengths, ...counts, ...sizes, ...words]
}

const lengthsAround = (bound: number) => [bound - 1, bound, bound + 1].filter((n) => n >= 0)

function number(schema: JsonSchema, name: string, otherwise: number): number {
  const value = schema[name]
  return typeof value === 'number' ? value : otherwise
}

function schemasIn(schema: JsonSchema, name: string): Readonly<Record<string, JsonSchema>> {
  return (schema[name] ?? {}) as Readonly<Record<string, JsonSchema>>
}
