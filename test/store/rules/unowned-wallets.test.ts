import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answeredLater, answeredNow } from '../../../src/store/rules/asking.js'
import { answerOnUnowned } from '../../../src/store/rules/unowned-wallets.js'

const idempotency = { scope: Buffer.alloc(32, 1), bodyHash: Buffer.alloc(32, 2) }
const UNUSABLE = { wallet: 'w', reason: 'not_assigned' }

test('a creation on a wallet of another is answered by its idempotency key, if it has one', async () => {
  const asked: unknown[] = []
  const earlier = (request: unknown) => {
    asked.push(request)
    return 'earlier'
  }
  const answer = (...given: unknown[]) => given
  assert.deepEqual(answeredNow(answerOnUnowned('w', undefined, earlier, answer)), [UNUSABLE, undefined])
  assert.deepEqual(answeredNow(answerOnUnowned('w', {}, earlier, answer)), [UNUSABLE, undefined])
  assert.deepEqual(asked, [])
  assert.deepEqual(answeredNow(answerOnUnowned('w', { idempotency }, earlier, answer)), [UNUSABLE, 'earlier'])
  assert.deepEqual(asked, [idempotency])
  const later = async () => 'later'
  assert.deepEqual(await answeredLater(answerOnUnowned('w', { idempotency }, later, answer)), [UNUSABLE, 'later'])
})
