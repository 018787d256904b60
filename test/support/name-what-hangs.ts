import { isMainThread } from 'node:worker_threads'

/*
 * Loaded before a test file, it ends the file with the names of the tests that hang, a little before the runner would end it without.
 * In Node 20 `--test-timeout` is about files, and no setting about tests.
 */

/** Less than the runner gives a file. A test of this may have less. */
const LIMIT_MS = Number(process.env['BILLHOOK_TEST_HANGS_AFTER_MS'] ?? 570_000)

// The runner itself loads it too, and so does each thread and each fork of a test.
const isTestFile = process.env['NODE_TEST_CONTEXT'] !== undefined && isMainThread && process.send === undefined
if (isTestFile) {
  const { afterEach, beforeEach } = await import('node:test')
  const running = new Set<string>()
  beforeEach(({ name }) => running.add(name))
  afterEach(({ name }) => running.delete(name))
  setTimeout(() => {
    const names = running.size === 0 ? 'something that its tests have started' : [...running].join(', ')
    process.stderr.write(`${process.argv[1]} has not ended within ${LIMIT_MS / 1000} s because of: ${names}\n`)
    process.exit(1)
  }, LIMIT_MS).unref()
}
