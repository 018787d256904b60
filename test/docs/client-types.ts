import assert from 'node:assert/strict'
import { openApiDocument } from '../../src/http/openapi.js'
import { CURRENCY_PATTERN, NETWORK_PATTERN } from '../../src/http/operations/records/common.js'
import { VERSION } from '../../src/version.js'

/*
 * The types of the client library, written from the OpenAPI document: its schemas by their names, and the bodies that only
 * one operation has by the name of the operation. The document uses a small part of JSON Schema, and anything beyond it
 * fails here.
 */

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly const?: unknown
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

/** Without its parts where it refers to a shared one. */
interface Parameter {
  readonly name?: string
  readonly in?: string
  readonly description?: string
  readonly schema?: Schema
}

export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

/** Chapters of the reference that a merchant's program calls. */
const CHAPTERS = ['Invoices', 'Orders', 'API keys', 'Webhooks', 'Events', 'Identities and wallets', 'Sandbox']
/** Of other chapters. */
const OTHER_OPERATIONS = ['getInfo', 'getRates']
/** The simulated ledger node is no part of the API. */
const LEDGER_PATH = '/sandbox/ledger'

const document = JSON.parse(JSON.stringify(openApiDocument({ version: VERSION, basePath: '' })))

/** The operations that the client library covers. */
export const merchantOperations: readonly OperationObject[] = Object.entries(document.paths)
  .filter(([path]) => !path.startsWith(LEDGER_PATH))
  .flatMap(([, methods]) => Object.values(methods as Readonly<Record<string, OperationObject>>))
  .filter(
    ({ tags, operationId }) => OTHER_OPERATIONS.includes(operationId) || tags?.some((tag) => CHAPTERS.includes(tag)),
  )

export function clientTypes(): string {
  const { Error: failure, ...described } = document.components.schemas as Readonly<Record<string, Schema>>
  const schemas = { ...described, WebhookPayload: webhookPayload(described) }
  const codes = failure?.properties?.['code']?.enum ?? assert.fail('the document names no error codes')
  const missing = namesOfOthers(schemas)
  const named = Object.entries(schemas).map(([name, schema]) => declared(name, schema, '', missing.get(name)))
  const bodies = merchantOperations.flatMap(({ operationId, requestBody, responses }) => {
    const name = `${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}`
    const answer = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
    return [
      ...declaredInline(`${name}Request`, requestBody, ' | undefined'),
      ...declaredInline(`${name}Answer`, answer, ''),
    ]
  })
  const errorCode = `/** Codes of docs/errors.md. */\nexport type ErrorCode =\n${union(codes, '  | ', '\n  | ')}\n`
  return [
    '// Generated from the OpenAPI document by `npm run docs`; a test compares the two.\n',
    errorCode,
    NETWORK_ID_TYPE,
    CURRENCY_TYPE,
    ...named,
    ...bodies,
  ].join('\n')
}

/** What `verifyWebhook` answers. The document has no name for it: it describes a webhook of deposits and one of events. */
function webhookPayload({ DepositWebhook: deposit = {}, DeliveredEvent: event = {} }: Record<string, Schema>): Schema {
  return {
    description: 'The body of any webhook. Events have a `type`, deposits have none.',
    anyOf: [...alternativesOf(deposit), ...alternativesOf(event)],
  }
}

const CURRENCY_TYPE = `/** \`native\`, or a token by its symbol. Which there are is the operator's choice: \`getInfo\` lists them. */
export type Currency = 'native' | 'USDT' | 'USDC' | (string & {})
`

const NETWORK_ID_TYPE = `/** The id of a network. Which there are is the operator's choice: \`getInfo\` lists them. */
export type NetworkId = 'SEP' | 'TRX-NILE' | (string & {})
`

/** The bodies of requests whose fields the client checks before it sends them. */
const CHECKED = [
  'createInvoice',
  'createOrder',
  'registerApiKey',
  'setWebhook',
  'rotateWebhookSecret',
  'simulateDeposit',
]

/** The fields that requests may have, as the client checks them. */
export function clientRequestFields(): string {
  const lists = CHECKED.map((name) => {
    const operation = merchantOperations.find(({ operationId }) => operationId === name) ?? assert.fail(name)
    const { properties = {} } = bodyOf(operation.requestBody) ?? {}
    const fields = Object.keys(properties).map((field) => `    '${field}',\n`)
    return `  ${name}: [\n${fields.join('')}  ],\n`
  })
  return `// Generated from the OpenAPI document by \`npm run docs\`; a test compares the two.

/** The fields that the body of a request may have. */
export const requestFields = {
${lists.join('')}} as const
`
}

function bodyOf(content: Content | undefined): Schema | undefined {
  return content?.content?.['application/json']?.schema
}

/** What a record lacks and another one of its unions has, so that it can be asked for before it is known which one it is. */
function namesOfOthers(schemas: Readonly<Record<string, Schema>>): ReadonlyMap<string, readonly string[]> {
  const missing = new Map<string, readonly string[]>()
  for (const union of Object.values(schemas)) {
    const members = alternativesOf(union).map(nameIn)
    const all = members.flatMap((name) => propertiesOf(schemas[name]))
    for (const name of members) {
      const own = propertiesOf(schemas[name])
      const others = all.filter((property) => !own.includes(property))
      missing.set(name, [...new Set([...(missing.get(name) ?? []), ...others])])
    }
  }
  return missing
}

function alternativesOf({ oneOf, anyOf }: Schema): readonly Schema[] {
  return oneOf ?? anyOf ?? []
}

function propertiesOf(schema: Schema | undefined): readonly string[] {
  return Object.keys(schema?.properties ?? {})
}

function nameIn({ $ref }: Schema): string {
  return $ref?.split('/').at(-1) ?? assert.fail('an alternative without a name')
}

function declaredInline(name: string, content: Content | undefined, optional: string): string[] {
  const schema = bodyOf(content)
  return schema?.properties === undefined ? [] : [declared(name, schema, optional)]
}

function declared(name: string, schema: Schema, optional: string, missing: readonly string[] = []): string {
  const alternatives = alternativesOf(schema).map(nameIn)
  if (alternatives.length > 0) return `${comment(schema, '')}export type ${name} = ${alternatives.join(' | ')}\n`
  assert.ok(schema.properties !== undefined, `${name} is no object`)
  const others = missing.map((property) => `  readonly ${property}?: undefined\n`).join('')
  const type = objectType(schema, '', optional).replace(/\}$/, `${others}}`)
  return `${comment(schema, '')}export interface ${name} ${type}\n`
}

/** `optional` is what an absent property may be given as, too. */
function objectType(schema: Schema, indent: string, optional: string): string {
  const { properties, required = [], additionalProperties } = schema
  if (properties === undefined) {
    assert.ok(typeof additionalProperties === 'object', `${JSON.stringify(schema)} has no values`)
    return `Readonly<Record<string, ${typeOf(additionalProperties, indent, optional)}>>`
  }
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name)
    const type = `${typeOf(schema, inner, optional)}${isRequired ? '' : optional}`
    return `${comment(schema, inner)}${inner}readonly ${name}${isRequired ? '' : '?'}: ${type}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

function typeOf(schema: Schema, indent: string, optional: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? ''
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return union(schema.enum, '', ' | ')
  const isNetwork = schema.pattern === NETWORK_PATTERN
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  assert.ok(types.length > 0, `${JSON.stringify(schema)} has no type`)
  return types
    .map((type) => {
      if (type === 'object') return objectType(schema, indent, optional)
      if (type === 'array') return `readonly ${elementType(schema, indent, optional)}[]`
      if (type === 'integer') return 'number'
      if (type === 'string' && isNetwork) return 'NetworkId'
      if (type === 'string' && schema.pattern === CURRENCY_PATTERN) return 'Currency'
      assert.ok(['string', 'number', 'boolean', 'null'].includes(type), type)
      return type
    })
    .join(' | ')
}

function elementType({ items }: Schema, indent: string, optional: string): string {
  const type = typeOf(items ?? assert.fail('an array of what'), indent, optional)
  return type.includes(' | ') ? `(${type})` : type
}

function union(values: readonly unknown[], before: string, between: string): string {
  return before + values.map(literal).join(between)
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function comment({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '* /')} */\n`
}
