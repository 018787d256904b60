/** Arguments of Node that run the test files behind them (`run-files.ts`). */
export const TEST_RUNNER: readonly string[] = [
  ...['--import', new URL('name-what-hangs.js', import.meta.url).href],
  new URL('run-files.js', import.meta.url).pathname,
]
