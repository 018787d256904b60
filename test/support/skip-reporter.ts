import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { projectRoot } from './project-root.js'
import type { Skipped } from './skipped-tests.js'

/** How long what tests have started may outlive the last of them. */
const LEFT_BEHIND_MS = 5_000

/** A reporter for `node --test`: a line of JSON for each test and suite that was skipped. */
export default async function* skips(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:pass' || event.data.skip === undefined || event.data.skip === false) continue
    const { file = '', name, skip } = event.data
    const skipped: Skipped = { file: relative(projectRoot, file), name, reason: typeof skip === 'string' ? skip : '' }
    yield `${JSON.stringify(skipped)}\n`
  }
  // A program that a failed test left behind may hold the output of its file, for whose end the runner would wait for ever.
  setTimeout(() => process.exit(), LEFT_BEHIND_MS).unref()
}
