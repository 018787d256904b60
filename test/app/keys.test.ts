import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { identityFromPhrase, identityId, keySigner } from '@billhook/client'
import { KeyHolder, LOCK_AFTER_MS, type VaultPlace } from '../../packages/app/src/keys/holder.js'
import { KeyError, type KeyErrorCode } from '../../packages/app/src/keys/key-error.js'
import { chosenPlaces, wrongPlace } from '../../packages/app/src/keys/phrase-check.js'
import { newVaultKey, SCRYPT_COST, seal, unseal, type Vault } from '../../packages/app/src/keys/vault.js'

/** So that a trial takes a millisecond. */
const COST = 2 ** 4
const PHRASE = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const NAME = 'shop.onboarding'
const PASSPHRASE = 'four words or more'
const PRIVATE_KEY = '11'.repeat(32)
const DIGEST = new Uint8Array(32).fill(7)

class Place implements VaultPlace {
  vault: Vault | null = null
  async read() {
    return this.vault
  }
  async replace(salt: Vault['salt'] | null, vault: Vault) {
    if (String(this.vault?.salt ?? null) !== String(salt)) return false
    // As a database does: what is kept is a copy.
    this.vault = structuredClone(vault)
    return true
  }
  async clear() {
    this.vault = null
  }
}

interface Bench {
  readonly holder: KeyHolder
  readonly place: Place
  readonly time: { now: number }
  readonly locked: () => number
}

function bench(place = new Place()): Bench {
  const time = { now: 0 }
  let locked = 0
  const holder = new KeyHolder({
    place,
    now: () => time.now,
    onLocked: () => {
      locked += 1
    },
    cost: COST,
  })
  return { holder, place, time, locked: () => locked }
}

function isKeyError(code: KeyErrorCode) {
  return (error: unknown) => error instanceof KeyError && error.code === code
}

describe('a vault', () => {
  const secrets = { owner: 'shop', identity: null, apiKey: { publicKey: '02aa', privateKey: PRIVATE_KEY } }

  test('opens with its passphrase, however its letters are composed, and with no other', async () => {
    const vault = await seal(secrets, await newVaultKey('caf\u00e9 au lait', COST))
    assert.deepEqual((await unseal(vault, 'cafe\u0301 au lait'))?.secrets, secrets)
    assert.equal(await unseal(vault, 'cafe au lait'), null)
    assert.equal(await unseal(vault, ''), null)
  })

  test('tells nothing of the keys', async () => {
    const vault = await seal(secrets, await newVaultKey(PASSPHRASE, COST))
    const legible = Buffer.from([...vault.sealed]).toString('latin1') + JSON.stringify(vault)
    assert.equal(legible.includes(PRIVATE_KEY), false)
    assert.equal(legible.includes('02aa'), false)
  })

  test('does not open when any part of it was changed', async () => {
    const vault = await seal(secrets, await newVaultKey(PASSPHRASE, COST))
    const flipped = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte, index) => (index === 0 ? byte ^ 1 : byte))
    for (const changed of [
      { ...vault, owner: 'thief' },
      { ...vault, cost: COST / 2 },
      { ...vault, cost: 3 },
      { ...vault, cost: 2 ** 30 },
      { ...vault, salt: flipped(vault.salt) },
      { ...vault, nonce: flipped(vault.nonce) },
      { ...vault, sealed: flipped(vault.sealed) },
      { ...vault, version: 2 as unknown as 1 },
    ]) {
      assert.equal(await unseal(changed, PASSPHRASE), null)
    }
  })

  test('has another nonce each time it is sealed', async () => {
    const key = await newVaultKey(PASSPHRASE, COST)
    const [one, other] = [await seal(secrets, key), await seal(secrets, key)]
    assert.notDeepEqual(one.nonce, other.nonce)
    assert.equal((await unseal(other, PASSPHRASE)) !== null, true)
  })

  test('costs 128 MiB for each trial of a passphrase', () => {
    // scrypt takes 128 bytes times r for each unit of cost (RFC 7914, 2).
    assert.equal(SCRYPT_COST * 128 * 8, 128 * 1024 * 1024)
  })
})

describe('the holder of the keys', () => {
  test('keeps the identity that the client makes of the words, and signs with it', async (t) => {
    const { holder, place } = bench()
    t.after(() => holder.lock())
    assert.deepEqual(await holder.status(), { state: 'empty' })
    const status = await holder.create(PHRASE.toUpperCase().replaceAll(' ', '  '), NAME, PASSPHRASE)
    const { publicKey, sign } = await identityFromPhrase(PHRASE)
    const owner = identityId(publicKey, NAME)
    assert.deepEqual(status, { state: 'open', owner, identity: publicKey, apiKey: null })
    assert.deepEqual(await holder.sign('identity', DIGEST), await sign(DIGEST))
    assert.equal(place.vault?.owner, owner)
    await assert.rejects(holder.sign('apiKey', DIGEST), isKeyError('no_key'))
  })

  test('keeps an API key that somebody was given, as hex or PEM', async () => {
    const { holder, place } = bench()
    const { publicKey } = keySigner(PRIVATE_KEY)
    const status = await holder.takeKey(' shop ', ` ${PRIVATE_KEY}\n`, PASSPHRASE)
    assert.deepEqual(status, { state: 'open', owner: 'shop', identity: null, apiKey: publicKey })
    holder.lock()
    assert.deepEqual(await bench(place).holder.status(), { state: 'locked', owner: 'shop' })
  })

  test('makes API keys that are there when it is opened again', async () => {
    const { holder, place } = bench()
    await holder.create(PHRASE, NAME, PASSPHRASE)
    const publicKey = await holder.makeApiKey()
    holder.lock()
    const again = bench(place).holder
    const status = await again.unlock(PASSPHRASE)
    assert.equal(status.state === 'open' && status.apiKey, publicKey)
    assert.deepEqual(await again.sign('apiKey', DIGEST), await again.sign('apiKey', DIGEST))
    again.lock()
  })

  test('opens nothing with a wrong passphrase, and nothing where nothing is', async () => {
    const { holder, place } = bench()
    await assert.rejects(holder.unlock(PASSPHRASE), isKeyError('empty'))
    await holder.create(PHRASE, NAME, PASSPHRASE)
    holder.lock()
    const again = bench(place).holder
    await assert.rejects(again.unlock('another one'), isKeyError('wrong_passphrase'))
    await assert.rejects(again.sign('identity', DIGEST), isKeyError('locked'))
  })

  test('replaces no vault', async () => {
    const { holder } = bench()
    await holder.create(PHRASE, NAME, PASSPHRASE)
    await assert.rejects(holder.create(PHRASE, NAME, 'another one'), isKeyError('occupied'))
    await assert.rejects(holder.takeKey('shop', PRIVATE_KEY, 'another one'), isKeyError('occupied'))
    holder.lock()
    await assert.rejects(holder.takeKey('shop', PRIVATE_KEY, 'another one'), isKeyError('occupied'))
  })

  test('lets one tab of two keep what both begin at once', async (t) => {
    const place = new Place()
    const tabs = [bench(place).holder, bench(place).holder]
    t.after(() => {
      for (const tab of tabs) tab.lock()
    })
    const outcomes = await Promise.allSettled([
      tabs[0]?.create(PHRASE, NAME, PASSPHRASE),
      tabs[1]?.takeKey('employee', PRIVATE_KEY, PASSPHRASE),
    ])
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, 1)
    assert.ok(refused[0]?.status === 'rejected' && isKeyError('occupied')(refused[0].reason))
    const kept = outcomes.find((outcome) => outcome.status === 'fulfilled')
    assert.equal(place.vault?.owner, kept?.status === 'fulfilled' && kept.value?.state === 'open' && kept.value.owner)
  })

  test('puts no new API key over the vault that another tab began after it forgot the first', async (t) => {
    const place = new Place()
    const { holder } = bench(place)
    t.after(() => holder.lock())
    await holder.create(PHRASE, NAME, PASSPHRASE)
    const other = bench(place).holder
    await other.forget()
    await assert.rejects(holder.makeApiKey(), isKeyError('occupied'))
    await other.takeKey('employee', PRIVATE_KEY, PASSPHRASE)
    other.lock()
    await assert.rejects(holder.makeApiKey(), isKeyError('occupied'))
    assert.equal(place.vault?.owner, 'employee')
  })

  test('refuses words that are no phrase, and keys that are none', async () => {
    const { holder, place } = bench()
    await assert.rejects(holder.create('abandon about', NAME, PASSPHRASE), isKeyError('bad_phrase'))
    await assert.rejects(holder.checkPhrase(PHRASE.replace('about', 'abandon')), isKeyError('bad_phrase'))
    assert.throws(() => holder.checkKey('00'.repeat(32)), isKeyError('bad_key'))
    await assert.rejects(holder.takeKey('shop', 'none', PASSPHRASE), isKeyError('bad_key'))
    assert.equal(place.vault, null)
  })

  test('locks itself when nobody was there for its time, at the next signature at the latest', async () => {
    const { holder, time, locked } = bench()
    await holder.create(PHRASE, NAME, PASSPHRASE)
    time.now = LOCK_AFTER_MS - 1
    await holder.sign('identity', DIGEST)
    // A signature is no sign of somebody: the app asks for them by itself.
    time.now = LOCK_AFTER_MS
    await assert.rejects(holder.sign('identity', DIGEST), isKeyError('locked'))
    await assert.rejects(holder.sign('identity', DIGEST), isKeyError('locked'))
    assert.equal(locked(), 1)
    await holder.unlock(PASSPHRASE)
    time.now += LOCK_AFTER_MS - 1
    holder.touch()
    time.now += LOCK_AFTER_MS - 1
    await holder.sign('identity', DIGEST)
    holder.lock()
  })

  test('is kept open by no clock that is set back', async () => {
    const { holder, time, locked } = bench()
    time.now = 10 * LOCK_AFTER_MS
    await holder.create(PHRASE, NAME, PASSPHRASE)
    time.now -= 1000
    await holder.sign('identity', DIGEST)
    time.now = 10 * LOCK_AFTER_MS - LOCK_AFTER_MS
    await assert.rejects(holder.sign('identity', DIGEST), isKeyError('locked'))
    assert.equal(locked(), 1)
  })

  test('locks itself without being asked anything', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const { holder, time, locked } = bench()
      // Without words: making a key of them waits for a timer.
      await holder.takeKey('shop', PRIVATE_KEY, PASSPHRASE)
      time.now = LOCK_AFTER_MS / 2
      holder.touch()
      time.now = LOCK_AFTER_MS
      mock.timers.tick(LOCK_AFTER_MS)
      assert.equal(locked(), 0)
      time.now = 1.5 * LOCK_AFTER_MS
      mock.timers.tick(LOCK_AFTER_MS / 2)
      assert.equal(locked(), 1)
    } finally {
      mock.timers.reset()
    }
  })

  test('is not opened again by a touch', async () => {
    const { holder, time } = bench()
    await holder.create(PHRASE, NAME, PASSPHRASE)
    time.now = LOCK_AFTER_MS
    holder.touch()
    await assert.rejects(holder.sign('identity', DIGEST), isKeyError('locked'))
  })

  test('forgets everything', async () => {
    const { holder, place } = bench()
    await holder.create(PHRASE, NAME, PASSPHRASE)
    await holder.forget()
    assert.deepEqual([place.vault, await holder.status()], [null, { state: 'empty' }])
  })
})

describe('three words that are asked back', () => {
  test('are at different places, in their order', () => {
    for (const random of [() => 0, () => 0.999, Math.random]) {
      const places = chosenPlaces(12, random)
      assert.equal(new Set(places).size, 3)
      assert.deepEqual(
        places,
        [...places].sort((a, b) => a - b),
      )
      assert.ok(places.every((place) => place >= 0 && place < 12))
    }
  })

  test('are compared without their case, and the first wrong one is named', () => {
    const given = { 0: ' Abandon ', 5: 'abandon', 11: 'ABOUT' }
    assert.equal(wrongPlace(PHRASE, [0, 5, 11], given), null)
    assert.equal(wrongPlace(PHRASE, [0, 5, 11], { ...given, 5: 'about' }), 5)
    assert.equal(wrongPlace(PHRASE, [0, 5, 11], {}), 0)
  })
})
