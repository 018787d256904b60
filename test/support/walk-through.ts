import assert from 'node:assert/strict'
import { missingPrograms } from './programs.js'
import { runBash } from './shell.js'

/** Several times what it takes on a slow machine. */
const TIMEOUT_MS = 120_000

/** Why the walk-through cannot be followed here, for `skip`; false when it can. */
export const noWalkThrough = missingPrograms('bash', 'curl', 'openssl')

/** Follows the walk-through against a service, which must come out as it says. */
export async function walkThrough(url: string): Promise<void> {
  const { stdout, stderr } = await runBash(['examples/quickstart.sh'], {
    environment: { BASE_URL: url },
    timeoutMs: TIMEOUT_MS,
  })
  assert.match(stdout, /Everything was as expected\.\n$/, stderr)
}
