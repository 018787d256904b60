import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { projectRoot } from './project-root.js'
import type { Skipped } from './skipped-tests.js'

/** A reporter: a line of JSON for each test and suite that was skipped. */
export default async function* skips(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:pass' || event.data.skip === undefined || event.data.skip === false) continue
    const { file = '', name, skip } = event.data
    const skipped: Skipped = { file: relative(projectRoot, file), name, reason: typeof skip === 'string' ? skip : '' }
    yield `${JSON.stringify(skipped)}\n`
  }
}
