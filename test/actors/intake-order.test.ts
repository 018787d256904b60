import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Intake } from '../../src/actors/intake.js'
import type { WalletDirectory } from '../../src/actors/wallet-directory.js'
import type { LedgerEvent } from '../../src/store/store.js'

const keys = (eventId: string, identity: string, key: string) => {
  return { eventId, fact: { type: 'identity.keys', identity, keys: [key] } } as const
}

test('keys of an identity are not told while earlier ones of it have failed: those would count when they are repeated', async () => {
  const told: (string | null)[] = []
  const ledger = {
    applyFacts: async (batch: readonly LedgerEvent[]) =>
      batch.map(({ eventId }) => {
        told.push(eventId)
        return eventId === 'e2'
          ? ({ status: 'rejected', reason: new Error('the connection was lost') } as const)
          : ({ status: 'fulfilled', value: { status: 'applied' } } as const)
      }),
  }
  const intake = new Intake(ledger, {} as WalletDirectory, () => {})
  const events = [keys('e1', 'bob', 'A'), keys('e2', 'alice', 'A'), keys('e3', 'carol', 'A'), keys('e4', 'alice', 'B')]
  await assert.rejects(intake.apply(events), /the connection was lost/)
  assert.deepEqual(told, ['e1', 'e2', 'e3'])
})
