import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { throwPruned } from '../../../src/networks/node/pruned-below.js'

describe('the beginning of a history that was pruned', () => {
  for (const begins of [101, 102, 500, 999, 1000]) {
    test(`is found at block ${begins}`, async () => {
      const keeps = async (height: number) => height >= begins
      await assert.rejects(throwPruned(keeps, 100, 1000), {
        name: 'UnfitNode',
        reason: 'pruned',
        message: `its history begins at block ${begins}, and block 100 is needed`,
        historyFrom: begins,
      })
    })
  }

  test('is not told where a node does not tell of a block', async () => {
    const asked: number[] = []
    await throwPruned(
      async (height) => {
        asked.push(height)
        return asked.length === 2 ? null : true
      },
      100,
      1000,
    )
    assert.deepEqual(asked, [550, 325])
  })
})
