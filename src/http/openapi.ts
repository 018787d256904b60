import { apiFailures } from '../domain/failure.js'
import { securitySchemes } from './openapi/access.js'
import { answerHeaders } from './openapi/answer-headers.js'
import { deliveryObjects } from './openapi/delivery.js'
import { description } from './openapi/description.js'
import { documented } from './openapi/documented.js'
import { exampleOf } from './openapi/error-examples.js'
import { sharedResponses } from './openapi/error-responses.js'
import { operationObject } from './openapi/operation-object.js'
import { requestId } from './openapi/parameters.js'
import { CHAPTERS, type DocumentedTag, type Operation } from './operations/operation.js'
import { CURRENCY_PATTERN, NETWORK_PATTERN } from './operations/records/common.js'
import { records } from './operations/records.js'
import type { Schema } from './operations/schema.js'

/*
 * The OpenAPI document of the service. It joins the table of endpoints with what `operations/` says of each, and adds
 * the errors that follow from the table: those of access, of browsers, of limits and of HTTP.
 */

export interface DocumentFacts {
  readonly version: string
  /** The path of the public URL, without a final slash. */
  readonly basePath: string
  /** The networks that a record of the service may name. */
  readonly networks?: readonly string[]
  /** What a record of the service may be in. */
  readonly currencies?: readonly string[]
}

/**
 * The document. It is the same whatever the settings are, but for the path in `servers`, the ids of networks and the currencies, which
 * are open without `networks` and `currencies`.
 */
export function openApiDocument({ networks, currencies, ...facts }: DocumentFacts) {
  const document = documentOf(facts)
  if (networks === undefined && currencies === undefined) return document
  return JSON.parse(JSON.stringify(document), (_name, value) => {
    if (networks !== undefined && value?.pattern === NETWORK_PATTERN) return listing(value, networks)
    return currencies !== undefined && value?.pattern === CURRENCY_PATTERN ? listing(value, currencies) : value
  }) as typeof document
}

/** The schema of a name, which may be null, as a list of those that there are. */
function listing({ pattern: _pattern, examples: _examples, ...schema }: Schema, names: readonly string[]): Schema {
  const isNullable = Array.isArray(schema['type']) && schema['type'].includes('null')
  return { ...schema, enum: isNullable ? [...names, null] : names }
}

function documentOf({ version, basePath }: Omit<DocumentFacts, 'networks' | 'currencies'>) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [tag, operation] of Object.entries<Operation>(documented)) {
    const { method, template } = partsOf(tag)
    paths[template] = { ...paths[template], [method]: operationObject(tag as DocumentedTag, operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Billhook',
      version,
      summary: 'Invoices over a signed API, payments to your own wallets, signed webhooks.',
      description: description(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath, description: 'This service.' }],
    tags: Object.entries(CHAPTERS).map(([name, about]) => ({ name, description: about })),
    paths,
    webhooks: deliveryObjects,
    components: {
      schemas: records,
      headers: answerHeaders,
      parameters: { RequestId: requestId },
      responses: sharedResponses,
      // No operation is reached by another method than its own.
      examples: Object.fromEntries(
        apiFailures.filter((code) => code !== 'method_not_allowed').map((code) => [code, exampleOf(code)]),
      ),
      securitySchemes,
    },
  }
}

/** `POST /api/invoices/:id/void` is `post` of `/api/invoices/{id}/void`. */
function partsOf(tag: string): { readonly method: string; readonly template: string } {
  const [method = '', pattern = ''] = tag.split(' ')
  return { method: method.toLowerCase(), template: pattern.replace(/:(\w+)/g, '{$1}') }
}
