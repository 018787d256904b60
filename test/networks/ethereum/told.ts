import { JsonScanner } from '../../../src/networks/node/json-scanner.js'
import type { Shape } from '../../../src/networks/node/json-shape.js'

/** What a shape reads of an answer. */
export function told<T>(shape: Shape<T>, answer: unknown): T {
  const scanner = new JsonScanner(shape)
  scanner.push(Buffer.from(JSON.stringify(answer)))
  return scanner.end()
}
