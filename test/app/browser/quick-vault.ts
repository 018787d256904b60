import assert from 'node:assert/strict'
import type { BrowserContext } from 'playwright-core'
import { SCRYPT_COST } from '../../../packages/app/src/keys/vault.js'

/** The program of the thread that holds the keys. */
const KEY_THREAD = /\/app\/keys-\w+\.js$/
const COST = `2**${Math.log2(SCRYPT_COST)}`
const QUICK_COST = '2**10'

/**
 * Lets the vaults of a browser open in milliseconds: each trial of a passphrase would take a core a second. The beginning with the wallet, and
 * what else has a `Visitor` without it, is tested with what a trial costs people.
 */
export async function makeVaultsQuick(context: BrowserContext): Promise<void> {
  await context.route(KEY_THREAD, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: withQuickVault(await response.text()) })
  })
}

/** The program of the thread with another cost of new vaults. An open vault keeps its own. */
export function withQuickVault(program: string): string {
  const parts = program.split(`=${COST},`)
  assert.equal(parts.length, 2, `the thread with the keys has to say its cost (${COST}) once`)
  return parts.join(`=${QUICK_COST},`)
}

export function isKeyThread(path: string): boolean {
  return KEY_THREAD.test(path)
}
