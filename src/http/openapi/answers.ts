import type { AnswerAbout, Operation } from '../operations/operation.js'
import type { RecordName } from '../operations/records.js'
import type { Schema } from '../operations/schema.js'
import { REQUEST_ID_HEADER } from './answer-headers.js'

/** The successful answers of an operation, by status. */
export function answers({ answers: given }: Operation) {
  return Object.fromEntries(Object.entries(given).map(([status, about]) => [status, answerObject(about)]))
}

function answerObject({ description: about, body, type = 'application/json', headers = [], example }: AnswerAbout) {
  const named = headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])
  const content =
    body === null
      ? {}
      : {
          content: Object.fromEntries(
            [type]
              .flat()
              .map((one) => [one, { schema: schemaOf(body), ...(example === undefined ? {} : { example }) }]),
          ),
        }
  return { description: about, headers: { ...REQUEST_ID_HEADER, ...Object.fromEntries(named) }, ...content }
}

function schemaOf(body: Schema | RecordName | readonly [RecordName]): Schema {
  if (typeof body === 'string') return { $ref: `#/components/schemas/${body}` }
  return Array.isArray(body) ? { type: 'array', items: schemaOf(body[0]) } : (body as Schema)
}
