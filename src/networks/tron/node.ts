import { isObject } from '../../base/json-object.js'
import type { HttpJson } from '../node/http-json.js'
import { BadAnswer } from '../node/node-failure.js'
import { parseTronJson } from './json.js'

/** A TRON node behind its REST interface. */
export class TronNode {
  constructor(private readonly http: HttpJson) {}

  /** Returns the node's unchecked answer. Rejects with `NodeFailure`, also when the node reports an error. */
  async query(path: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const answer = await this.http.post(path, JSON.stringify(parameters), parseTronJson)
    if (isObject(answer) && 'Error' in answer) {
      // Errors, even of a node's own rate limit, come with HTTP status 200.
      const reason = typeof answer['Error'] === 'string' ? answer['Error'] : 'an error'
      throw new BadAnswer(this.presentable(`${path}: ${reason}`))
    }
    return answer
  }

  /** A node's text, fit for a log. */
  presentable(text: string): string {
    return this.http.presentable(text)
  }
}
