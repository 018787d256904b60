import { type Endpoint, endpoints } from '../endpoints.js'
import type { DocumentedTag, Operation } from '../operations/operation.js'
import type { Schema } from '../operations/schema.js'
import { accessWords, securityOf } from './access.js'
import { answers } from './answers.js'
import { errorResponses } from './error-responses.js'
import { parameter } from './parameters.js'

/** The operation as the document has it. */
export function operationObject(tag: DocumentedTag, operation: Operation) {
  const endpoint = endpoints[tag]
  const { id, chapter, summary, path, query, headers = {}, body } = operation
  const parameters = [
    ...Object.entries(path).map(([name, schema]) => parameter('path', name, schema)),
    ...Object.entries<Schema>(query).map(([name, schema]) => parameter('query', name, schema)),
    ...Object.entries(headers).map(([name, schema]) => parameter('header', name, schema)),
    { $ref: '#/components/parameters/RequestId' },
  ]
  return {
    operationId: id,
    tags: [chapter],
    summary,
    ...descriptionOf(tag, endpoint, operation),
    parameters,
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.required,
            content: {
              'application/json': {
                schema: body.schema,
                examples: Object.fromEntries(Object.entries(body.examples).map(([name, value]) => [name, { value }])),
              },
            },
          },
        }),
    responses: { ...answers(operation), ...errorResponses(tag, operation) },
    security: securityOf(endpoint),
  }
}

function descriptionOf(tag: string, endpoint: Endpoint, { description }: Operation) {
  const parts = [description, accessWords(tag, endpoint)].filter((part) => part !== undefined)
  return parts.length === 0 ? {} : { description: parts.join('\n\n') }
}
