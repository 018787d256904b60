import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { originOf, parseFollowedContracts } from '../../src/ledger/followed-contracts.js'

describe('the contracts that are followed', () => {
  test('are read from entries of role, namespace and contract', () => {
    assert.deepEqual(parseFollowedContracts(['onboard=shop/3f2a', 'assign=other/9be1']), [
      { role: 'onboard', namespace: 'shop', contract: '3f2a' },
      { role: 'assign', namespace: 'other', contract: '9be1' },
    ])
    assert.deepEqual(parseFollowedContracts([]), [])
  })

  const flawed: readonly [entries: readonly string[], flaw: RegExp][] = [
    [['shop/3f2a'], /^shop\/3f2a is not <onboard\|assign\|replace>=/],
    [['own=shop/3f2a'], /is not/],
    [['onboard=3f2a'], /is not/],
    [['onboard=shop/'], /is not/],
    [['onboard=/3f2a'], /is not/],
    [['onboard=shop/3f2a@1'], /is not/],
    [['onboard=shop/a/b'], /is not/],
    [['onboard=shop/ a'], /is not/],
    [['onboard=shop/a', 'assign=shop/a'], /^shop\/a is named twice$/],
  ]
  for (const [entries, flaw] of flawed) {
    test(`${entries.join(',')} says what is wrong`, () => {
      const parsed = parseFollowedContracts(entries)
      assert.ok('flaw' in parsed)
      assert.match(parsed.flaw, flaw)
    })
  }

  test('have another origin when anything of them changes but their order', () => {
    const a = { role: 'onboard', namespace: 'shop', contract: 'a' } as const
    const b = { role: 'assign', namespace: 'shop', contract: 'b' } as const
    const followed = { contracts: [a, b], onboardingName: 'name' }
    const origin = originOf(['http://node'], followed, 0)
    assert.match(origin, /^[0-9a-f]{64}$/)
    assert.equal(originOf(['http://node/'], { ...followed, contracts: [b, a] }, 0), origin)
    const changed = [
      originOf(['http://other'], followed, 0),
      originOf(['http://node'], { ...followed, contracts: [a] }, 0),
      originOf(['http://node'], { ...followed, contracts: [a, { ...b, role: 'onboard' }] }, 0),
      originOf(['http://node'], { ...followed, contracts: [a, { ...b, namespace: 'x' }] }, 0),
      originOf(['http://node'], { ...followed, onboardingName: 'x' }, 0),
      originOf(['http://node'], followed, 1),
    ]
    assert.equal(new Set([origin, ...changed]).size, changed.length + 1)
  })
})
