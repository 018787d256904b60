import { isMainThread } from 'node:worker_threads'

/*
 * Loaded before a test file, it ends the file with the names of the tests that hang, a little before the runner would end it without;
 * and much earlier when all tests have ended but the process has not.
 * In Node 20 `--test-timeout` is about files, and no setting about tests.
 */

/** Less than the runner gives a file. A test of this may have less. */
const LIMIT_MS = Number(process.env['BILLHOOK_TEST_HANGS_AFTER_MS'] ?? 570_000)
/** More than a suite needs between two tests, such as to start a database. */
const IDLE_LIMIT_MS = Number(process.env['BILLHOOK_TEST_IDLE_AFTER_MS'] ?? 90_000)

// The runner itself loads it too, and so does each thread and each fork of a test.
const isTestFile = process.env['NODE_TEST_CONTEXT'] !== undefined && isMainThread && process.send === undefined
if (isTestFile) {
  const { afterEach, beforeEach } = await import('node:test')
  /** Names, once for each test: several tests may have one name. */
  const running: string[] = []
  let idle: NodeJS.Timeout | undefined
  const endAs = (limitMs: number) => {
    const names = running.length === 0 ? 'something that its tests have started' : running.join(', ')
    process.stderr.write(`${process.argv[1]} has not ended within ${limitMs / 1000} s because of: ${names}\n`)
    process.exit(1)
  }
  beforeEach(({ name }) => {
    clearTimeout(idle)
    running.push(name)
  })
  afterEach(({ name }) => {
    const place = running.indexOf(name)
    if (place >= 0) running.splice(place, 1)
    if (running.length === 0) idle = setTimeout(endAs, IDLE_LIMIT_MS, IDLE_LIMIT_MS).unref()
  })
  setTimeout(endAs, LIMIT_MS, LIMIT_MS).unref()
}
