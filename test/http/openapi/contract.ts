import assert from 'node:assert/strict'
import { type ErrorObject, Ajv2020 as JsonSchemas, type ValidateFunction } from 'ajv/dist/2020.js'
import { openApiDocument } from '../../../src/http/openapi.js'

/** The document as data, as a client sees it. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly webhooks: { readonly deposit: { readonly post: OperationObject } }
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly headers: Readonly<Record<string, HeaderObject>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly parameters: Readonly<Record<string, ParameterObject>>
  }
}

export type JsonSchema = Readonly<Record<string, unknown>>

interface Reference {
  readonly $ref: string
}

interface HeaderObject {
  readonly required?: boolean
  readonly schema: JsonSchema
}

interface ParameterObject extends HeaderObject {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

interface ResponseObject {
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>
  readonly content?: Content
}

interface OperationObject {
  readonly parameters: readonly (ParameterObject | Reference)[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
}

/** What a client sent to an operation. */
export interface SentRequest {
  /** `GET /api/invoices/:id`, as in the table of endpoints. */
  readonly tag: string
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined without a body. */
  readonly body: unknown
}

/** What it got. */
export interface GivenAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Headers of HTTP itself, and those that all answers of a kind have. They are no part of an operation. */
const ORDINARY_HEADERS: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding', 'uwebsockets'],
  ...['cache-control', 'x-content-type-options', 'content-security-policy', 'referrer-policy', 'x-frame-options'],
  ...['x-robots-tag', 'content-language', 'content-encoding', 'vary', 'x-accel-buffering'],
])

/**
 * The OpenAPI document as a judge of answers. Objects are closed: a field that the document does not name is a flaw,
 * though clients must ignore it.
 */
export class Contract {
  private readonly document: Document
  private readonly schemas: JsonSchemas
  private readonly openChecks = new WeakMap<JsonSchema, ValidateFunction>()
  private readonly closedChecks = new WeakMap<JsonSchema, ValidateFunction>()

  /** `networks` are those of the service; without them, those that every service has. The currencies are a sandbox's. */
  constructor(networks: readonly string[] = ['SEP', 'TRX-NILE']) {
    const currencies = ['native', 'USDT', 'USDC']
    const facts = { version: '0.0.0', basePath: '', networks, currencies }
    this.document = JSON.parse(JSON.stringify(openApiDocument(facts)))
    this.schemas = new JsonSchemas({ strict: false, allErrors: true, formats: { int64: true } })
    this.schemas.addSchema({ $id: 'document', components: { schemas: closed(this.document.components.schemas) } })
  }

  /** The tags of all operations. */
  get tags(): readonly string[] {
    return Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    )
  }

  operation(tag: string): OperationObject {
    const [method = '', pattern = ''] = tag.split(' ')
    const found = this.document.paths[pattern.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    return found ?? assert.fail(`the document has no operation ${tag}`)
  }

  /** The parameters of an operation, those that all operations have included. */
  parametersOf(tag: string): readonly ParameterObject[] {
    return this.operation(tag).parameters.map((one) =>
      '$ref' in one ? (this.document.components.parameters['RequestId'] ?? assert.fail()) : one,
    )
  }

  /** The codes of errors that an operation documents, by status. Pages name none. */
  codesOf(tag: string): ReadonlyMap<number, readonly string[]> {
    const { responses } = this.operation(tag)
    return new Map(
      Object.entries(responses).flatMap(([status, response]): [number, readonly string[]][] => {
        const { schema } = this.response(response).content?.['application/json'] ?? {}
        const parts = schema?.['allOf'] as readonly { properties?: { code: { enum: string[] } } }[] | undefined
        const codes = parts?.[1]?.properties?.code.enum
        return codes === undefined ? [] : [[Number(status), codes]]
      }),
    )
  }

  /** What of an answer is not as documented, in words; null if all is. */
  flawOfAnswer(tag: string, { status, headers, text }: GivenAnswer): string | null {
    const found = this.operation(tag).responses[String(status)]
    if (found === undefined) return `${tag} does not document ${status} ${text.slice(0, 200)}`
    const response = this.response(found)
    return this.flawOfHeaders(response, headers) ?? this.flawOfContent(response, headers, text)
  }

  /** What of a request is not as documented, in words; null if all is. */
  flawOfRequest({ tag, path, query, headers, body }: SentRequest): string | null {
    const known = this.parametersOf(tag)
    const given = { path, query, header: headers }
    for (const { name, in: place, required = false, schema } of known) {
      const value = given[place][place === 'header' ? name.toLowerCase() : name]
      if (value === undefined) {
        if (required) return `the ${place} lacks ${name}`
        continue
      }
      const flaw = this.flawOf(schema, schema['type'] === 'integer' ? Number(value) : value)
      if (flaw !== null) return `${name} in the ${place}: ${flaw}`
    }
    for (const name of Object.keys(query)) {
      if (!known.some((one) => one.in === 'query' && one.name === name)) return `the query has ${name}`
    }
    return this.flawOfBody(tag, body)
  }

  flawOfBody(tag: string, body: unknown): string | null {
    const { requestBody } = this.operation(tag)
    if (requestBody === undefined) return body === undefined ? null : 'there is a body'
    if (body === undefined) return requestBody.required ? 'the body is missing' : null
    const schema = requestBody.content['application/json']?.schema
    return this.flawOf(schema ?? assert.fail(), body)
  }

  /** What of a delivery of a webhook is not as documented. */
  flawOfDelivery(headers: Readonly<Record<string, unknown>>, body: unknown): string | null {
    const { parameters, requestBody } = this.document.webhooks.deposit.post
    for (const one of parameters) {
      if ('name' in one && typeof headers[one.name.toLowerCase()] !== 'string') return `${one.name} is missing`
    }
    const schema = requestBody?.content['application/json']?.schema
    return this.flawOf(schema ?? assert.fail(), body, true)
  }

  private response(found: ResponseObject | Reference): ResponseObject {
    if (!('$ref' in found)) return found
    const name = found.$ref.slice('#/components/responses/'.length)
    return this.document.components.responses[name] ?? assert.fail(found.$ref)
  }

  private flawOfHeaders({ headers: documented = {} }: ResponseObject, given: Headers): string | null {
    for (const [name, found] of Object.entries(documented)) {
      const { required = false, schema } =
        '$ref' in found ? (this.document.components.headers[name] ?? assert.fail(found.$ref)) : found
      const value = given.get(name)
      if (value === null) {
        if (required) return `the header ${name} is missing`
        continue
      }
      const flaw = this.flawOf(schema, schema['type'] === 'integer' ? Number(value) : value)
      if (flaw !== null) return `the header ${name}: ${flaw}`
    }
    const names = Object.keys(documented).map((name) => name.toLowerCase())
    const unknown = [...given.keys()].find((name) => !names.includes(name) && !ORDINARY_HEADERS.has(name))
    return unknown === undefined ? null : `the header ${unknown} is not documented`
  }

  private flawOfContent({ content }: ResponseObject, headers: Headers, text: string): string | null {
    if (content === undefined) return text === '' ? null : 'there is a body'
    const type = (headers.get('content-type') ?? '').split(';')[0] ?? ''
    const schema = content[type]?.schema
    if (schema === undefined) return `the media type ${type} is not documented`
    return this.flawOf(schema, type === 'application/json' ? JSON.parse(text) : text, true)
  }

  private flawOf(schema: JsonSchema, value: unknown, isClosed = false): string | null {
    const check = this.checkOf(schema, isClosed)
    if (check(value)) return null
    const [first] = check.errors ?? []
    return `${wordsOf(first)} in ${shown(value)}`
  }

  /** Compiled once for each schema of the document. */
  private checkOf(schema: JsonSchema, isClosed: boolean): ValidateFunction {
    const checks = isClosed ? this.closedChecks : this.openChecks
    const known = checks.get(schema)
    if (known !== undefined) return known
    const check = this.schemas.compile(pointed(isClosed ? closed(schema) : schema) as JsonSchema)
    checks.set(schema, check)
    return check
  }
}

function wordsOf(error: ErrorObject | undefined): string {
  return `${error?.instancePath ?? ''} ${error?.message ?? ''} ${JSON.stringify(error?.params ?? {})}`
}

/** The beginning of a value; `JSON.stringify` cannot write what is nested too deep. */
function shown(value: unknown): string {
  try {
    return JSON.stringify(value).slice(0, 500)
  } catch {
    return 'a deep value'
  }
}

/** The schema with references into the document. */
function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === '$ref' && typeof inner === 'string' ? inner.replace(/^#/, 'document#') : pointed(inner),
    ]),
  )
}

/** The schema with every object closed. What is combined by `allOf` is closed as a whole. */
function closed<T>(value: T): T {
  return closedInside(value) as T
}

function closedInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedInside)
  if (typeof value !== 'object' || value === null) return value
  if ('allOf' in value) return { ...value, unevaluatedProperties: false }
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, name === 'Error' ? part : closedInside(part)]),
  )
  const isObject = 'properties' in value && typeof value.properties === 'object' && 'type' in value
  return isObject && (typeof value.type === 'string' || Array.isArray(value.type))
    ? { ...inner, additionalProperties: false }
    : inner
}
