import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { planDescriptors } from '../../src/service/descriptors.js'

describe('the plan for descriptors', () => {
  test('plenty of them give every connection and webhook its place', () => {
    const plan = planDescriptors(256, 1_048_576)
    assert.deepEqual(
      [plan.connections, plan.connectionsPerClient, plan.webhooks, plan.isShort],
      [16_384, 2_048, 256, false],
    )
    assert.equal(planDescriptors(256, null).isShort, false)
  })

  for (const descriptors of [0, 64, 100, 256, 1_024, 4_096]) {
    test(`${descriptors} are never exceeded while they suffice for the service itself`, () => {
      const { connections, connectionsPerClient, webhooks, isShort } = planDescriptors(256, descriptors)
      assert.ok(connections + webhooks <= Math.max(2, descriptors - 96))
      assert.ok(connections >= 1 && webhooks >= 1 && connectionsPerClient >= 1)
      assert.ok(connectionsPerClient <= connections)
      assert.equal(isShort, true)
    })
  }
})
