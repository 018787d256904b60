import assert from 'node:assert/strict'
import { createSign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Point } from '@noble/secp256k1'
import { JOURNAL_FILE } from '../../src/sandbox/sandbox-directory.js'
import { ASSIGNMENT_DELAY_MS } from '../../src/sandbox/simulated-ledger.js'
import { privateKeyPem, publicKeyPem } from '../support/pem.js'
import { type TestKey, testKey } from '../support/signing.js'
import {
  assignment,
  assignTx,
  commit,
  earlyFailure,
  fail,
  failEarly,
  identityOf,
  onboarding,
  onboardTx,
  outcomeOf,
  post,
  SandboxFixture,
  signTx,
} from './sandbox-fixture.js'

let fixture: SandboxFixture
let count = 0

before(async () => {
  fixture = await SandboxFixture.start()
})
after(() => fixture.close())

const place = () => fixture.sandbox.describe()

/** A key that no other test uses. */
function freshKey(): TestKey {
  count += 1
  return testKey(`ledger ${count}`)
}

/** An identity on the ledger, of which the service has not heard yet. */
async function onboarded(): Promise<{ key: TestKey; identity: string }> {
  const key = freshKey()
  const { streams } = await commit(fixture.sandbox, onboarding(place(), key))
  return { key, identity: streams.new[0]?.id ?? '' }
}

async function freeWallet(): Promise<string> {
  const wallet = await fixture.store.wallets.claim('SEP', 600_000)
  assert.ok(wallet !== null)
  return wallet.id
}

/** The state that a refused transaction must not change. */
function journal(): string {
  return readFileSync(join(fixture.place.path, JOURNAL_FILE), 'utf8')
}

async function failUnchanged(transaction: unknown, error: string, vote: 0 | 1 = 0): Promise<void> {
  const before = journal()
  const pending = fixture.scheduler.pending
  await fail(fixture.sandbox, transaction, error, vote)
  assert.equal(journal(), before)
  assert.equal(fixture.scheduler.pending, pending)
}

describe('onboarding', () => {
  test('answers with the deterministic identity of the key', async () => {
    const key = freshKey()
    const publicKey = `0x${key.publicKeyHex}`
    const { umid, streams } = await commit(fixture.sandbox, onboarding(place(), key))
    assert.match(umid, /^[0-9a-f]{64}$/)
    const { onboardingName } = place()
    assert.deepEqual(streams, {
      new: [{ id: identityOf(publicKey, onboardingName), name: onboardingName }],
      updated: [],
    })
  })

  test('of the same key again says that the stream exists', async () => {
    const { key } = await onboarded()
    await failUnchanged(onboarding(place(), key), 'Deterministic Stream Name Exists', 1)
  })

  test('of one key several times at once makes one identity, and the others are not saved', async () => {
    const transaction = onboarding(place(), freshKey())
    const answers = await Promise.all([1, 2, 3].map(() => post(fixture.sandbox, transaction)))
    assert.deepEqual(answers.map(outcomeOf).sort(), ['Failed to save', 'Failed to save', 'committed'])
    for (const { $summary } of answers) assert.deepEqual([$summary.vote, $summary.commit], [1, 1])
    assert.equal(new Set(answers.map(({ $umid }) => $umid)).size, 3)
  })

  const forms: readonly [what: string, text: (key: TestKey) => string][] = [
    ['compressed hex with 0x', (key) => `0x${key.publicKeyHex}`],
    ['upper-case hex', (key) => `0x${key.publicKeyHex.toUpperCase()}`],
    ['uncompressed hex', (key) => `0x${Buffer.from(Point.fromBytes(key.publicKey).toBytes(false)).toString('hex')}`],
  ]
  for (const [what, text] of forms) {
    test(`takes a key as ${what}, and its identity is made of the text as sent`, async () => {
      const key = freshKey()
      const { streams } = await commit(fixture.sandbox, onboarding(place(), key, text(key)))
      assert.equal(streams.new[0]?.id, identityOf(text(key), place().onboardingName))
    })
  }

  test('takes a key and signatures of OpenSSL, of which half have a high S', async () => {
    for (let round = 0; round < 8; round += 1) {
      const key = freshKey()
      const pem = publicKeyPem(key)
      const $tx = onboardTx(place(), pem)
      const signature = createSign('SHA256').update(JSON.stringify($tx)).sign(privateKeyPem(key), 'base64')
      const { streams } = await commit(fixture.sandbox, { $selfsign: true, $sigs: { otk: signature }, $tx })
      assert.equal(streams.new[0]?.id, identityOf(pem, place().onboardingName))
    }
  })

  test('takes a signature with a high S', async () => {
    const key = freshKey()
    const $tx = onboardTx(place(), `0x${key.publicKeyHex}`)
    await commit(fixture.sandbox, { $selfsign: true, $sigs: { otk: signTx(key, $tx, 'high') }, $tx })
  })

  test('takes whatever is true to JavaScript as $selfsign', async () => {
    for (const $selfsign of [1, 'true']) {
      const { streams } = await commit(fixture.sandbox, { ...onboarding(place(), freshKey()), $selfsign })
      assert.equal(streams.new.length, 1)
    }
  })

  test('takes the fields of $tx in any order, signed as they are sent', async () => {
    const key = freshKey()
    const { namespace, contracts } = place()
    const $tx = {
      $i: { otk: { type: 'secp256k1', publicKey: `0x${key.publicKeyHex}` } },
      note: 'é\u2028',
      $namespace: namespace,
      $contract: contracts.onboard,
    }
    const text = JSON.stringify({ $tx, $sigs: { otk: signTx(key, $tx) }, $selfsign: true }, null, 2)
    const answer = await fixture.sandbox.ledgerNode.submit(Buffer.from(text))
    assert.equal((answer.value as { $summary: { commit: number } }).$summary.commit, 1)
  })

  const refused: readonly [what: string, error: string, make: (key: TestKey) => unknown][] = [
    ['without a signature', 'Self signed signature not found', (key) => ({ ...onboarding(place(), key), $sigs: {} })],
    [
      'with the signature under another name',
      'Self signed signature not found',
      (key) => {
        const { $sigs, ...rest } = onboarding(place(), key)
        return { ...rest, $sigs: { key: $sigs['otk'] } }
      },
    ],
    [
      'with a number as signature',
      'Self signed signature not found',
      (key) => ({ ...onboarding(place(), key), $sigs: { otk: 1 } }),
    ],
    [
      'signed with another key',
      'Self signed signature not matching',
      (key) => {
        const $tx = onboardTx(place(), `0x${key.publicKeyHex}`)
        return { $selfsign: true, $sigs: { otk: signTx(testKey('another'), $tx) }, $tx }
      },
    ],
    [
      'changed after it was signed',
      'Self signed signature not matching',
      (key) => {
        const { $tx, ...rest } = onboarding(place(), key)
        return { ...rest, $tx: { ...$tx, more: 1 } }
      },
    ],
    [
      'signed in hex',
      'Self signed signature not matching',
      (key) => {
        const { $tx, $sigs, ...rest } = onboarding(place(), key)
        return { ...rest, $tx, $sigs: { otk: Buffer.from(String($sigs['otk']), 'base64').toString('hex') } }
      },
    ],
    [
      'with a signature that is no base64',
      'Self signed signature not matching',
      (key) => ({ ...onboarding(place(), key), $sigs: { otk: '%' } }),
    ],
    [
      'with an empty signature',
      'Self signed signature not matching',
      (key) => ({ ...onboarding(place(), key), $sigs: { otk: '' } }),
    ],
    ['without a key', 'Self signed publicKey property not found in $i otk', (key) => signedWith(key, undefined)],
    ['with a number as key', 'Self signed publicKey property not found in $i otk', (key) => signedWith(key, 7)],
    [
      'with a key that is off the curve',
      'Self signed signature not matching',
      (key) => signedWith(key, `0x02${'00'.repeat(31)}05`),
    ],
    [
      'with half a key',
      'Self signed signature not matching',
      (key) => signedWith(key, `0x${key.publicKeyHex.slice(0, 40)}`),
    ],
    ['with a key without 0x', 'Self signed signature not matching', (key) => signedWith(key, key.publicKeyHex)],
    ['with an empty key', 'Self signed signature not matching', (key) => signedWith(key, '')],
    [
      'with a key of type rsa',
      'Vote Failure - "type has to be secp256k1"',
      (key) => signedWith(key, `0x${key.publicKeyHex}`, { type: 'rsa' }),
    ],
    [
      'with a key of no type',
      'Vote Failure - "type has to be secp256k1"',
      (key) => signedWith(key, `0x${key.publicKeyHex}`, { type: undefined }),
    ],
    ['with a private key', 'Self signed signature not matching', (key) => signedWith(key, privateKeyPem(freshKey()))],
    ['not self-signed', 'Stream(s) not found', (key) => ({ ...onboarding(place(), key), $selfsign: false })],
    [
      'in another namespace',
      'Init Contract Error - Contract or Namespace not found',
      (key) => {
        const $tx = { ...onboardTx(place(), `0x${key.publicKeyHex}`), $namespace: 'default' }
        return { $selfsign: true, $sigs: { otk: signTx(key, $tx) }, $tx }
      },
    ],
    [
      'by another contract',
      'Init Contract Error - Contract or Namespace not found',
      (key) => {
        const $tx = { ...onboardTx(place(), `0x${key.publicKeyHex}`), $contract: 'onboard' }
        return { $selfsign: true, $sigs: { otk: signTx(key, $tx) }, $tx }
      },
    ],
    [
      'under another label',
      'Vote Failure - "one input, otk"',
      (key) => {
        const { otk } = onboardTx(place(), `0x${key.publicKeyHex}`).$i
        const $tx = { ...onboardTx(place(), ''), $i: { mine: otk } }
        return { $selfsign: true, $sigs: { mine: signTx(key, $tx) }, $tx }
      },
    ],
    [
      'of nobody',
      'Vote Failure - "one input, otk"',
      () => ({ $selfsign: true, $sigs: {}, $tx: { ...onboardTx(place(), ''), $i: {} } }),
    ],
    [
      'of a crowd',
      'Vote Failure - "at most 8 inputs and outputs"',
      (key) => {
        const { otk } = onboardTx(place(), `0x${key.publicKeyHex}`).$i
        const $tx = { ...onboardTx(place(), ''), $i: Object.fromEntries([...'abcdefghi'].map((label) => [label, otk])) }
        return { $selfsign: true, $sigs: {}, $tx }
      },
    ],
  ]
  for (const [what, error, make] of refused) {
    test(`${what} is refused`, async () => {
      await failUnchanged(make(freshKey()), error)
    })
  }

  function signedWith(key: TestKey, publicKey: unknown, more: Readonly<Record<string, unknown>> = {}) {
    const $tx = onboardTx(place(), publicKey, more)
    return { $selfsign: true, $sigs: { otk: signTx(key, $tx) }, $tx }
  }

  test('reaches the service after 200 ms and not before', async () => {
    const { identity } = await onboarded()
    fixture.scheduler.pass(ASSIGNMENT_DELAY_MS - 1)
    assert.equal(fixture.store.identities.isKnown(identity), false)
    fixture.scheduler.pass(1)
    await fixture.until(() => fixture.store.identities.isKnown(identity))
  })
})

describe('assigning a wallet', () => {
  test('makes the identity its owner, in the service after 200 ms', async () => {
    const { key, identity } = await onboarded()
    const wallet = await freeWallet()
    const { umid, streams } = await commit(fixture.sandbox, assignment(place(), key, identity, wallet))
    assert.deepEqual(streams.new, [])
    assert.deepEqual(
      streams.updated.map(({ id }) => id),
      [wallet],
    )
    assert.equal(fixture.store.wallets.find(wallet)?.owner, null)
    fixture.clock.advance(ASSIGNMENT_DELAY_MS)
    const told = fixture.intake.events.length
    fixture.scheduler.pass(ASSIGNMENT_DELAY_MS)
    await fixture.until(() => fixture.store.wallets.find(wallet)?.owner === identity)
    assert.equal(fixture.store.wallets.find(wallet)?.assignedAt, fixture.clock.now())
    assert.deepEqual(
      fixture.intake.events.slice(told).filter(({ fact }) => fact.type === 'wallet.assigned'),
      [
        {
          eventId: `ledger:${umid}`,
          fact: { type: 'wallet.assigned', id: wallet, address: null, network: null, owner: identity },
        },
      ],
    )
  })

  test('takes a signature with a high S', async () => {
    const { key, identity } = await onboarded()
    const $tx = assignTx(place(), identity, await freeWallet())
    await commit(fixture.sandbox, { $sigs: { [identity]: signTx(key, $tx, 'high') }, $tx })
  })

  test('at the same time as another of the same identity, or of the same wallet, is turned away', async () => {
    const [first, second] = [await onboarded(), await onboarded()]
    const [one, other] = [await freeWallet(), await freeWallet()]
    for (const [a, b] of [
      [assignment(place(), first.key, first.identity, one), assignment(place(), first.key, first.identity, other)],
      [assignment(place(), second.key, second.identity, other), assignment(place(), first.key, first.identity, other)],
    ] as const) {
      const answers = await Promise.all([post(fixture.sandbox, a), post(fixture.sandbox, b)])
      assert.equal(outcomeOf(answers[0]), 'committed')
      assert.deepEqual(answers[1], earlyFailure('Busy Locks'))
    }
    await commit(fixture.sandbox, assignment(place(), first.key, first.identity, await freeWallet()))
  })

  test('works by a version of the contract', async () => {
    const { key, identity } = await onboarded()
    const tx = assignTx(place(), identity, await freeWallet())
    const $tx = { ...tx, $contract: `${tx.$contract}@0.0.1` }
    await commit(fixture.sandbox, { $sigs: { [identity]: signTx(key, $tx) }, $tx })
  })

  test('takes ids as a node reads them, and a signature by the hash of its key', async () => {
    const { key, identity } = await onboarded()
    const wallet = await freeWallet()
    const $tx = assignTx(place(), `xx${identity}`, `prefix${wallet}:`)
    const { streams } = await commit(fixture.sandbox, { $sigs: { [`xx${identity}`]: { h: signTx(key, $tx) } }, $tx })
    assert.equal(streams.updated[0]?.id, wallet)
  })

  test('again is refused, to the owner and to others', async () => {
    const first = await onboarded()
    const second = await onboarded()
    const wallet = await freeWallet()
    await commit(fixture.sandbox, assignment(place(), first.key, first.identity, wallet))
    for (const { key, identity } of [first, second]) {
      await failUnchanged(assignment(place(), key, identity, wallet), 'Vote Failure - "the wallet is assigned already"')
    }
  })

  test('that a gateway assigned already is refused', async () => {
    const { key, identity } = await onboarded()
    const wallet = await freeWallet()
    const fact = { type: 'wallet.assigned', id: wallet, address: null, network: null, owner: 'somebody' } as const
    await fixture.intake.apply([{ eventId: null, fact }])
    await failUnchanged(assignment(place(), key, identity, wallet), 'Vote Failure - "the wallet is assigned already"')
  })

  for (const [what, $sigs, error] of [
    ['no signatures', undefined, '$sigs not found'],
    ['null as signatures', null, '$sigs not found'],
  ] as const) {
    test(`with ${what} is refused before it is looked at`, async () => {
      const $tx = assignTx(place(), 'ff'.repeat(32), await freeWallet())
      await failEarly(fixture.sandbox, { $sigs, $tx }, error)
    })
  }

  test('after its time is refused before it is looked at', async () => {
    const { key, identity } = await onboarded()
    const wallet = await freeWallet()
    for (const [$expire, isLate] of [
      [new Date(fixture.clock.now() - 1).toISOString(), true],
      [new Date(fixture.clock.now() + 1).toISOString(), false],
    ] as const) {
      const $tx = { ...assignTx(place(), identity, wallet), $expire }
      const transaction = { $sigs: { [identity]: signTx(key, $tx) }, $tx }
      if (isLate) await failEarly(fixture.sandbox, transaction, `Transaction Expired : ${$expire}`)
      else await commit(fixture.sandbox, transaction)
    }
  })

  type Make = (key: TestKey, identity: string, wallet: string) => unknown
  const refused: readonly [what: string, error: string, make: Make][] = [
    [
      'of an unknown wallet',
      'Stream(s) not found',
      (key, identity) => assignment(place(), key, identity, 'ff'.repeat(32)),
    ],
    [
      'to an unknown identity',
      'Stream(s) not found',
      (key, _, wallet) => assignment(place(), key, 'ff'.repeat(32), wallet),
    ],
    [
      'to an identity that is only a label',
      'Stream(s) not found',
      (key, identity, wallet) => {
        const $tx = { ...assignTx(place(), identity, wallet), $i: { owner: { personal: true } } }
        return { $sigs: { owner: signTx(key, $tx) }, $tx }
      },
    ],
    [
      'with more signatures than the identity has keys',
      'Input Incorrect Signature List Length',
      (_, identity, wallet) => ({
        $sigs: { [identity]: { a: 'x', b: 'x' } },
        $tx: assignTx(place(), identity, wallet),
      }),
    ],
    [
      'without a signature',
      'Input Signature Incorrect',
      (_, identity, wallet) => ({ $sigs: {}, $tx: assignTx(place(), identity, wallet) }),
    ],
    [
      'signed under the label',
      'Input Signature Incorrect',
      (key, identity, wallet) => {
        const $tx = assignTx(place(), identity, wallet)
        return { $sigs: { owner: signTx(key, $tx) }, $tx }
      },
    ],
    [
      'signed with another key',
      'Input Signature Incorrect',
      (_, identity, wallet) => assignment(place(), testKey('another'), identity, wallet),
    ],
    [
      'changed after it was signed',
      'Input Signature Incorrect',
      (key, identity, wallet) => {
        const { $sigs } = assignment(place(), key, identity, 'another wallet')
        return { $sigs, $tx: assignTx(place(), identity, wallet) }
      },
    ],
    [
      'that is not personal',
      'Vote Failure - "one input, owner, personal"',
      (key, identity, wallet) => {
        const $tx = { ...assignTx(place(), identity, wallet), $i: { owner: { $stream: identity, personal: 'true' } } }
        return { $sigs: { [identity]: signTx(key, $tx) }, $tx }
      },
    ],
    [
      'without a wallet',
      'Vote Failure - "one output, wallet"',
      (key, identity, wallet) => {
        const { $o: _, ...$tx } = assignTx(place(), identity, wallet)
        return { $sigs: { [identity]: signTx(key, $tx) }, $tx }
      },
    ],
    [
      'self-signed',
      'has to be signed',
      (key, identity, wallet) => {
        const owner = { $stream: identity, personal: true, publicKey: `0x${key.publicKeyHex}`, type: 'secp256k1' }
        const $tx = { ...assignTx(place(), identity, wallet), $i: { owner } }
        return { $selfsign: true, $sigs: { owner: signTx(key, $tx) }, $tx }
      },
    ],
    [
      'of an identity',
      'Vote Failure - "wallet must be a wallet"',
      (key, identity) => assignment(place(), key, identity, identity),
    ],
  ]
  for (const [what, error, make] of refused) {
    test(`${what} is refused`, async () => {
      const { key, identity } = await onboarded()
      const wallet = await freeWallet()
      await failUnchanged(make(key, identity, wallet), error)
      assert.equal(fixture.store.wallets.find(wallet)?.owner, null)
    })
  }
})

describe('what is no transaction', () => {
  const unreadable: readonly [what: string, body: string | Buffer][] = [
    ['nothing', ''],
    ['null', 'null'],
    ['malformed JSON', '{"$tx":'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ]
  for (const [what, body] of unreadable) {
    test(`${what} is answered with status 500 and {}`, async () => {
      assert.deepEqual(await fixture.sandbox.ledgerNode.submit(Buffer.from(body)), { status: 500, value: {} })
    })
  }

  test('JSON that is too deep to be written is answered all the same', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const text = `{"$sigs":{},"$tx":{"$contract":"a","$namespace":"b","$i":{},"x":${deep}}}`
    const answer = await fixture.sandbox.ledgerNode.submit(Buffer.from(text))
    // How deep is too deep is the engine's matter; where nothing is, the contract is what is missing.
    if (answer.status === 500) assert.deepEqual(answer.value, {})
    else assert.match(JSON.stringify(answer.value), /Contract or Namespace not found/)
  })

  const tx = { $contract: 'c', $namespace: 'n', $i: {} }
  const invalid: readonly [what: string, body: unknown][] = [
    ['an empty object', {}],
    ['an empty list', []],
    ['a transaction without $tx', { $sigs: {} }],
    ['a list of something', [1]],
    ['a number', 5],
    ['a text', 'x'],
    ['true', true],
    ['a list as $sigs', { $tx: tx, $sigs: [] }],
    ['a text as $tx', { $tx: 'tx', $sigs: {} }],
    ['$tx without contract', { $tx: { ...tx, $contract: undefined }, $sigs: {} }],
    ['$tx without namespace', { $tx: { ...tx, $namespace: 1 }, $sigs: {} }],
    ['a list as inputs', { $tx: { ...tx, $i: [] }, $sigs: {} }],
    ['a list as outputs', { $tx: { ...tx, $o: [] }, $sigs: {} }],
  ]
  for (const [what, body] of invalid) {
    test(`${what} is answered with status 500 and Invalid Transaction`, async () => {
      const answer = await fixture.sandbox.ledgerNode.submit(Buffer.from(JSON.stringify(body)))
      assert.deepEqual(answer, { status: 500, value: 'Invalid Transaction' })
    })
  }

  test('names of Object.prototype are labels like others', async () => {
    const { contracts, namespace } = place()
    const text = `{"$sigs":{"__proto__":{"x":1}},"$tx":{"$contract":"${contracts.assignOwner}","$namespace":"${namespace}","$i":{"__proto__":{"$stream":"constructor"}}}}`
    const answer = await fixture.sandbox.ledgerNode.submit(Buffer.from(text))
    assert.deepEqual(
      (answer.value as { $summary: { errors: string[] } }).$summary.errors.map((text) => text.slice(0, 19)),
      ['Stream(s) not found'],
    )
  })
})
