import { isObject } from '../../base/json-object.js'
import type { HttpJson } from '../node/http-json.js'
import { BadAnswer } from '../node/node-failure.js'
import { parseTronJson } from './json.js'

/** A TRON node behind its REST interface. */
export class TronNode {
  constructor(private readonly http: HttpJson) {}

  /** Asks and answers what the node says, still to be judged. Rejects with `NodeFailure`, also when it tells of an error. */
  async ask(path: string, question: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const answer = await this.http.post(path, JSON.stringify(question), parseTronJson)
    if (isObject(answer) && 'Error' in answer) {
      // Errors come with HTTP status 200, a node's own rate limit too.
      const reason = typeof answer['Error'] === 'string' ? answer['Error'] : 'an error'
      throw new BadAnswer(this.presentable(`${path}: ${reason}`))
    }
    return answer
  }

  /** A text of the node, fit for a log. */
  presentable(text: string): string {
    return this.http.presentable(text)
  }
}
