import { JsonScanner } from '../../../src/networks/node/json-scanner.js'
import type { Shape } from '../../../src/networks/node/json-shape.js'

/** What a shape reads of a JSON text, or of a value's. */
export function readAs<T>(shape: Shape<T>, value: unknown): T {
  const scanner = new JsonScanner(shape)
  scanner.push(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))
  return scanner.end()
}
