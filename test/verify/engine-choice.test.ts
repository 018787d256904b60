import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertKnownAnswer, chooseEngine, loadEngine } from '../../src/verify/engine-choice.js'

describe('the choice of the engine', () => {
  test('takes the one that is named', async () => {
    const { engine, reason } = await chooseEngine('noble')
    assert.equal(engine.name, 'noble')
    assert.equal(reason, 'set explicitly')
  })

  test('takes the fast one, or says why not', async () => {
    const { engine, reason } = await chooseEngine('auto')
    if (engine.name === 'libsecp256k1') assert.equal(reason, 'its binary runs on this machine')
    else assert.match(reason, /^libsecp256k1 does not run on this machine \(.+\)$/)
  })

  test('gives the same engine for the same name', async () => {
    assert.equal(await loadEngine('noble'), await loadEngine('noble'))
  })
})

describe('the known answer', () => {
  const engineThatSays = (verdict: boolean) => ({ verify: () => verdict })

  test('exposes an engine that accepts everything', () => {
    assert.throws(() => assertKnownAnswer(engineThatSays(true)), /judged wrongly/)
  })

  test('exposes an engine that refuses everything', () => {
    assert.throws(() => assertKnownAnswer(engineThatSays(false)), /judged wrongly/)
  })
})
