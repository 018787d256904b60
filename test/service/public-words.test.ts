import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { publicWords } from '../../src/service/public-words.js'

const KEY = 'Ab3dEf6hIj9kLm2n'

describe('words of a node that anyone may read', () => {
  const cases: readonly (readonly [said: string, shown: string])[] = [
    ['HTTP status 404', 'HTTP status 404'],
    [
      'error -32601: the method eth_getBlockReceipts does not exist',
      'error -32601: the method eth_getBlockReceipts does not exist',
    ],
    [
      '/wallet/gettransactioninfobyblocknum: this API is unavailable due to config',
      '/wallet/gettransactioninfobyblocknum: this API is unavailable due to config',
    ],
    [
      'class java.lang.IllegalAccessException : lack of computing resources',
      'class java.lang.IllegalAccessException : lack of computing resources',
    ],
    ['remove it from node.disabledApi in the configuration', 'remove it from node.disabledApi in the configuration'],
    ['set node.openHistoryQueryWhenLiteFN = true', 'set node.openHistoryQueryWhenLiteFN = true'],
    ['set storage.transHistory.switch = "on"', 'set storage.transHistory.switch = "on"'],
    ['said ..eth.internal.example', 'said ..…'],
    ['ask node.disabledApi.example.com', 'ask …'],
    ['ask Node7.INTERNAL.Example:8090 instead', 'ask … instead'],
    ['see https://billing.example/upgrade?key=1 for more', 'see … for more'],
    ['getaddrinfo ENOTFOUND eth.internal.example', 'getaddrinfo ENOTFOUND …'],
    ['connect ECONNREFUSED 10.0.0.5:8545', 'connect ECONNREFUSED …'],
    ['connect ECONNREFUSED fe80::1ff:fe23:4567:890a', 'connect ECONNREFUSED …'],
    ['mail ops@example.com', 'mail …'],
    [`the key ${KEY} is not known`, 'the key … is not known'],
    [`project id ${'abcdefgh'.repeat(4)} rejected`, 'project id … rejected'],
    [`block 0x${'12ab'.repeat(16)} is missing`, 'block … is missing'],
    ['block 70123456 is 12 s old', 'block 70123456 is 12 s old'],
    ['on\ntwo\u0000 lines\u202e of\ttext', 'on two lines of text'],
    ['é'.repeat(310), `${'é'.repeat(300)}…`],
  ]
  for (const [said, shown] of cases)
    test(JSON.stringify(said.slice(0, 60)), () => assert.equal(publicWords(said), shown))

  test('cost no more than they are worth, however long they are', () => {
    assert.ok(publicWords(`${'a.'.repeat(1_000_000)} ${'1:'.repeat(1_000_000)}`).length <= 301)
  })
})
