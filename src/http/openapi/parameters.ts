import { type Schema, text } from '../operations/schema.js'

export function parameter(place: 'path' | 'query' | 'header', name: string, { description, ...schema }: Schema) {
  return { name, in: place, ...(place === 'path' ? { required: true } : {}), description, schema }
}

export const requestId = parameter(
  'header',
  'X-Request-Id',
  text('The id of the request in the answer and in the log. Anything else is replaced by a new one.', {
    pattern: '^[A-Za-z0-9._~-]{1,128}$',
  }),
)
