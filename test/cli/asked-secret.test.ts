import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ASK_PAUSE_MS, AskedSecret } from '../../src/cli/asked-secret.js'
import type { DeliveryVerdict } from '../../src/cli/delivery-verdict.js'
import { ManualClock } from '../support/manual-clock.js'

const VERIFIED: DeliveryVerdict = { isVerified: true, flaw: null, note: null, ageSeconds: 1 }
const FORGED: DeliveryVerdict = { isVerified: false, flaw: 'it does not fit', note: null, ageSeconds: null }
const OLD: DeliveryVerdict = { isVerified: false, flaw: 'it is old', note: null, ageSeconds: 1000 }

/** The verdict on a webhook that was signed with a secret. */
function signedWith(secret: string): (other: string) => DeliveryVerdict {
  return (other) => (other === secret ? VERIFIED : FORGED)
}

/** A service whose secret is `answer`, and a listener that knows `first`. */
function asking() {
  const service = { answer: 'first' as string | null, asked: 0 }
  const clock = new ManualClock()
  const ask = async () => {
    service.asked += 1
    return service.answer
  }
  return { service, clock, secret: new AskedSecret('first', ask, clock) }
}

describe('a secret that the service was asked for', () => {
  test('is asked for again when it was replaced, by webhooks at once together', async () => {
    const { service, secret } = asking()
    service.answer = 'second'
    const verdicts = await Promise.all([secret.judge(signedWith('second')), secret.judge(signedWith('second'))])
    assert.deepEqual(verdicts, [VERIFIED, VERIFIED])
    assert.equal(service.asked, 1)
  })

  test('is not asked for while signatures fit, whatever the age', async () => {
    const { service, secret } = asking()
    assert.equal(await secret.judge(signedWith('first')), VERIFIED)
    assert.equal(await secret.judge(() => OLD), OLD)
    assert.equal(service.asked, 0)
  })

  test('is asked for once in a while, however many webhooks are forged', async () => {
    const { service, clock, secret } = asking()
    for (let forged = 0; forged < 10; forged += 1) assert.equal(await secret.judge(() => FORGED), FORGED)
    clock.advance(ASK_PAUSE_MS - 1)
    await secret.judge(() => FORGED)
    assert.equal(service.asked, 1)
    clock.advance(1)
    await secret.judge(() => FORGED)
    assert.equal(service.asked, 2)
  })

  test('stays when there is no answer', async () => {
    const { service, secret } = asking()
    service.answer = null
    assert.equal(await secret.judge(signedWith('second')), FORGED)
    assert.equal(await secret.judge(signedWith('first')), VERIFIED)
  })
})
