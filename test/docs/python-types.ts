import assert from 'node:assert/strict'
import { openApiDocument } from '../../src/http/openapi.js'
import { VERSION } from '../../src/version.js'
import { merchantOperations, type OperationObject, type Schema } from './client-types.js'

/*
 * The types of the Python package, written from the OpenAPI document: its schemas as they are, and what its methods take by the names that
 * Python has for fields. A part of JSON Schema that the document does not use fails here.
 */

/** What a method takes as keywords. */
interface Draft {
  readonly type: string
  readonly method: string
  readonly operationId: string
  /** Given by the client itself, or by another argument. */
  readonly without: readonly string[]
  /** Required by the service, and given by the client where it is absent. */
  readonly optional?: readonly string[]
}

const DRAFTS: readonly Draft[] = [
  { type: 'InvoiceDraft', method: 'create_invoice', operationId: 'createInvoice', without: ['owner'] },
  {
    type: 'InvoiceFilter',
    method: 'list_invoices',
    operationId: 'listInvoices',
    without: ['limit', 'cursor', 'include'],
  },
  { type: 'OrderDraft', method: 'create_order', operationId: 'createOrder', without: ['owner'] },
  { type: 'OrderFilter', method: 'list_orders', operationId: 'listOrders', without: ['limit', 'cursor'] },
  {
    type: 'ApiKeyDraft',
    method: 'register_api_key',
    operationId: 'registerApiKey',
    without: ['owner'],
    optional: ['publicKey', 'permissions'],
  },
  { type: 'WebhookDraft', method: 'set_webhook', operationId: 'setWebhook', without: [] },
  { type: 'RotationDraft', method: 'rotate_webhook_secret', operationId: 'rotateWebhookSecret', without: [] },
  { type: 'SimulatedDepositDraft', method: 'simulate_deposit', operationId: 'simulateDeposit', without: [] },
]

const GENERATED = 'Generated from the OpenAPI document by `npm run docs`; a test compares the two.'

/** A field of a class, with the type that it has there. */
interface Field {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string | undefined
}

const { schemas } = JSON.parse(JSON.stringify(openApiDocument({ version: VERSION, basePath: '' }))).components as {
  readonly schemas: Readonly<Record<string, Schema>>
}

export function pythonTypes(): string {
  const answers = merchantOperations.flatMap(({ operationId, responses }) => {
    const content = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content
    const schema = content?.['application/json']?.schema
    return schema?.properties === undefined ? [] : [[`${capitalised(operationId)}Answer`, schema] as const]
  })
  const { Error: _, ...records } = schemas
  const declared = [...Object.entries(records), ...answers].map(([name, schema]) => recordOf(name, schema))
  const drafts = DRAFTS.flatMap((draft) => [
    ...nestedInDraft(draft),
    classOf(draft.type, undefined, fieldsOfDraft(draft)),
  ])
  return `"""Records of the API, and what methods take. ${GENERATED}"""

from __future__ import annotations

from typing import Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from .amount import Amount


${[...declared, ...drafts].join('\n\n')}`
}

/** Which field of the service a keyword is. */
export function pythonRequestFields(): string {
  const methods = DRAFTS.map((draft) => {
    const lines = namesOf(draft).map((name) => `        "${snakeCase(name)}": "${name}",\n`)
    return `    "${draft.method}": {\n${lines.join('')}    },\n`
  })
  return `"""Which field of the service a keyword is. ${GENERATED}"""

from typing import Dict

REQUEST_FIELDS: Dict[str, Dict[str, str]] = {
${methods.join('')}}
`
}

/** By the name of its field in the service. */
function inputsOf({
  operationId,
}: Draft): ReadonlyMap<string, { readonly schema: Schema; readonly isRequired: boolean }> {
  const operation = merchantOperations.find((one) => one.operationId === operationId) ?? assert.fail(operationId)
  const body = operation.requestBody?.content?.['application/json']?.schema
  const inBody = Object.entries(body?.properties ?? {}).map(([name, schema]) => {
    return [name, { schema, isRequired: body?.required?.includes(name) === true }] as const
  })
  const inQuery = parametersOf(operation).map(({ name, schema, description }) => {
    return [
      name,
      { schema: description === undefined ? schema : { ...schema, description }, isRequired: false },
    ] as const
  })
  return new Map([...inBody, ...inQuery])
}

function parametersOf(operation: OperationObject) {
  return (operation.parameters ?? []).flatMap(({ name, in: place, schema, description }) =>
    place === 'query' && name !== undefined && schema !== undefined ? [{ name, schema, description }] : [],
  )
}

function namesOf(draft: Draft): readonly string[] {
  return [...inputsOf(draft).keys()].filter((name) => !draft.without.includes(name))
}

/** The objects that a method takes. Their fields have the names of the service. */
function nestedInDraft(draft: Draft): readonly string[] {
  const inputs = inputsOf(draft)
  return namesOf(draft).flatMap((name) => {
    const { schema } = inputs.get(name) ?? assert.fail(name)
    const object = schema.properties === undefined ? schema.items : schema
    return object?.properties === undefined ? [] : [recordOf(nestedName(draft.type, name), object)]
  })
}

function fieldsOfDraft(draft: Draft): readonly Field[] {
  const inputs = inputsOf(draft)
  return namesOf(draft).map((name) => {
    const { schema, isRequired } = inputs.get(name) ?? assert.fail(name)
    return {
      name: snakeCase(name),
      type: name === 'amount' ? amountOf(schema) : typeOf(schema, 'Sequence', nestedName(draft.type, name)),
      isRequired: isRequired && draft.optional?.includes(name) !== true,
      description: schema.description,
    }
  })
}

function amountOf({ type = [] }: Schema): string {
  return type.includes('null') ? 'Optional[Amount]' : 'Amount'
}

function recordOf(name: string, schema: Schema): string {
  const alternatives = (schema.oneOf ?? schema.anyOf ?? []).map(nameIn)
  if (alternatives.length > 0) {
    const lines = (schema.description ?? '').split('\n').map((line) => `#: ${line}\n`)
    return `${lines.join('')}${name} = Union[${alternatives.join(', ')}]\n`
  }
  const { properties = assert.fail(`${name} is no object`), required = [] } = schema
  const nested = Object.entries(properties).flatMap(([field, one]) => {
    const object = one.properties === undefined ? one.items : one
    return object?.properties === undefined ? [] : [recordOf(nestedName(name, field), object)]
  })
  const fields = Object.entries(properties).map(([field, one]) => ({
    name: field,
    type: typeOf(one, 'List', nestedName(name, field)),
    isRequired: required.includes(field),
    description: one.description,
  }))
  const others = namesOfOthers(name, properties).map((field) => {
    return { name: field, type: 'None', isRequired: false, description: undefined }
  })
  return [...nested, classOf(name, schema.description, [...fields, ...others])].join('\n\n')
}

/** What other records of the same union have, so that it can be asked for before it is known which one it is. */
function namesOfOthers(name: string, properties: Readonly<Record<string, Schema>>): readonly string[] {
  const unions = Object.values(schemas).map(({ oneOf, anyOf }) => (oneOf ?? anyOf ?? []).map(nameIn))
  const others = unions.filter((members) => members.includes(name)).flat()
  const all = new Set(others.flatMap((other) => Object.keys(schemas[other]?.properties ?? {})))
  return [...all].filter((field) => !(field in properties))
}

/** Fields that may be absent are in a class that inherits the others: Python 3.9 has no other way. */
function classOf(name: string, description: string | undefined, fields: readonly Field[]): string {
  const about = description === undefined ? '' : `    """${description}"""\n\n`
  const required = fields.filter(({ isRequired }) => isRequired)
  const optional = fields.filter(({ isRequired }) => !isRequired)
  if (optional.length === 0) return `class ${name}(TypedDict):\n${about}${required.map(line).join('')}`
  if (required.length === 0) return `class ${name}(TypedDict, total=False):\n${about}${optional.map(line).join('')}`
  const base = `_${name}Always`
  return `class ${base}(TypedDict):\n${required.map(line).join('')}\n
class ${name}(${base}, total=False):\n${about}${optional.map(line).join('')}`
}

function line({ name, type, description }: Field): string {
  assert.match(name, /^[a-zA-Z_]\w*$/)
  const about = description === undefined ? '' : `    #: ${description}\n`
  return `${about}    ${name}: ${type}\n`
}

/** `objectName` is the class of an object that has no name of its own. */
function typeOf(schema: Schema, list: 'List' | 'Sequence', objectName: string): string {
  if (schema.$ref !== undefined) return nameIn(schema)
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`
  const given = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  const values = schema.enum?.filter((value) => value !== null)
  const types = given.filter((type) => type !== 'null')
  const [type] = types
  if (types.length === 0 && given.length > 0) return 'None'
  assert.ok(types.length === 1 || values !== undefined, `${JSON.stringify(schema)} has no type, or several`)
  const mayBeNull = given.includes('null') || schema.enum?.includes(null) === true
  const made =
    values === undefined ? namedType(type, schema, list, objectName) : `Literal[${values.map(literal).join(', ')}]`
  return mayBeNull ? `Optional[${made}]` : made
}

function namedType(type: string | undefined, schema: Schema, list: string, objectName: string): string {
  const { items, properties, additionalProperties } = schema
  if (type === 'object' && properties === undefined) {
    assert.ok(typeof additionalProperties === 'object', `${JSON.stringify(schema)} has no values`)
    return `${list === 'List' ? 'Dict' : 'Mapping'}[str, ${typeOf(additionalProperties, 'List', '')}]`
  }
  if (type === 'object') return objectName
  if (type === 'array') return `${list}[${typeOf(items ?? assert.fail('an array of what'), 'List', objectName)}]`
  const names: Readonly<Record<string, string>> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool' }
  return names[type ?? ''] ?? assert.fail(`a type ${type}`)
}

function nameIn({ $ref }: Schema): string {
  return $ref?.split('/').at(-1) ?? assert.fail('an alternative without a name')
}

function nestedName(name: string, field: string): string {
  return name + capitalised(field)
}

function capitalised(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}
