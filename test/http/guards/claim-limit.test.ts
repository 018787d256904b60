import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Network } from '../../../src/domain/network.js'
import type { ClaimedWallet } from '../../../src/domain/wallet.js'
import { ClaimLimit } from '../../../src/http/guards/claim-limit.js'
import { clientReader } from '../../../src/http/guards/client-address.js'
import { walletHandlers } from '../../../src/http/routes/wallets.js'
import { deferred } from '../../support/deferred.js'
import { ManualClock } from '../../support/manual-clock.js'
import { assertRefused, type Reply, ServiceFixture } from '../../support/service-fixture.js'
import { unlimitedLists } from '../../support/unlimited-lists.js'
import { headFrom } from '../head-from.js'
import { callRoute } from '../routes/call-route.js'

const LEASE_MS = 600_000
const REFUSAL = [429, 'Too many wallets are handed out to this address. Try again later.', 'too_many_claims'] as const

/** Wallets that belong to somebody. */
const assigned = new Set<string>()

function limitOf(leasesPerClient: number, clock = new ManualClock(), trusted: readonly string[] = []): ClaimLimit {
  return new ClaimLimit({
    leasesPerClient,
    leaseMs: LEASE_MS,
    clientOf: clientReader(trusted),
    clock,
    isAssigned: (id) => assigned.has(id),
  })
}

/** Claims a wallet; 0 if that was allowed, else the seconds to wait. */
async function waitOf(limit: ClaimLimit, peer: string, network: Network = 'SEP', id = 'unassigned'): Promise<number> {
  const outcome = await limit.claim(headFrom(peer), network, async () => ({ id, address: id }))
  if (!outcome.ok) assert.equal(outcome.failure.code, 'too_many_claims')
  return outcome.ok ? 0 : (outcome.failure.retryAfterSeconds ?? assert.fail('no time to wait'))
}

const PEER = '192.0.2.1'

describe('claims of one client', () => {
  test('are limited by the leases that it holds, for each network on its own', async () => {
    const limit = limitOf(2)
    const waits: number[] = []
    for (const network of ['SEP', 'SEP', 'SEP', 'TRX-NILE', 'TRX-NILE', 'TRX-NILE'] as const) {
      waits.push(await waitOf(limit, PEER, network))
    }
    assert.deepEqual(waits, [0, 0, 600, 0, 0, 600])
    assert.equal(await waitOf(limit, '192.0.2.2'), 0)
  })

  test('go on as leases end, one by one', async () => {
    const clock = new ManualClock()
    const limit = limitOf(2, clock)
    assert.equal(await waitOf(limit, PEER), 0)
    clock.advance(10_000)
    assert.equal(await waitOf(limit, PEER), 0)
    assert.equal(await waitOf(limit, PEER), 590)
    clock.advance(LEASE_MS - 10_001)
    assert.equal(await waitOf(limit, PEER), 1)
    clock.advance(1)
    assert.equal(await waitOf(limit, PEER), 0)
    assert.equal(await waitOf(limit, PEER), 10)
  })

  test('give back what was not handed out', async () => {
    const limit = limitOf(1)
    const empty = await limit.claim(headFrom(PEER), 'SEP', async () => null)
    assert.equal(!empty.ok && empty.failure.code, 'no_wallet_available')
    assert.equal(limit.size, 0)
    assert.equal(await waitOf(limit, PEER), 0)
    assert.equal(await waitOf(limit, PEER), 600)
  })

  test('that ended in an assignment do not count, the others do', async () => {
    const limit = limitOf(3)
    for (let claim = 0; claim < 1000; claim += 1) {
      assert.equal(await waitOf(limit, PEER, 'SEP', `w${claim}`), 0, `claim ${claim}`)
      // Two stay unassigned.
      if (claim > 1) assigned.add(`w${claim}`)
    }
    const last = deferred<ClaimedWallet>()
    const claiming = limit.claim(headFrom(PEER), 'SEP', () => last.promise)
    assert.equal(await waitOf(limit, PEER), 600, 'one of unknown outcome counts')
    last.resolve({ id: 'unassigned', address: '' })
    assert.ok((await claiming).ok)
    assert.equal(await waitOf(limit, PEER), 600)
    assigned.add('w0')
    assert.equal(await waitOf(limit, PEER), 0)
  })

  test('are found to be assigned in turn where a client may hold more than are looked at at once', async () => {
    const limit = limitOf(200)
    for (let claim = 0; claim < 200; claim += 1) {
      assert.equal(await waitOf(limit, PEER, 'SEP', `many ${claim}`), 0)
    }
    assigned.add('many 199')
    const waits: number[] = []
    for (let look = 0; look < 4; look += 1) waits.push(await waitOf(limit, PEER))
    assert.deepEqual(waits, [600, 600, 600, 0])
  })

  test('cannot be multiplied within an IPv6 network of 64 bits', async () => {
    const limit = limitOf(1)
    assert.equal(await waitOf(limit, '2001:db8::1'), 0)
    assert.equal(await waitOf(limit, '2001:db8::2'), 600)
  })

  test('are forgotten when their leases have ended', async () => {
    const clock = new ManualClock()
    const limit = limitOf(5, clock)
    for (let host = 1; host <= 100; host += 1) await waitOf(limit, `192.0.2.${host}`)
    assert.equal(limit.size, 100)
    clock.advance(LEASE_MS)
    await waitOf(limit, '198.51.100.1')
    assert.equal(limit.size, 1)
  })

  test('are not limited on this machine, nor when the limit is 0', async () => {
    const [one, none] = [limitOf(1), limitOf(0)]
    for (let claims = 0; claims < 5; claims += 1) {
      assert.equal(await waitOf(one, '127.0.0.1'), 0)
      assert.equal(await waitOf(one, '::1'), 0)
      assert.equal(await waitOf(none, PEER), 0)
    }
    assert.equal(one.size + none.size, 0)
  })
})

describe('the route of claims', () => {
  test('reserves before it asks the store, so that claims that overlap do not exceed the limit', async () => {
    const answers: ((wallet: null) => void)[] = []
    const wait = () => new Promise<null>((resolve) => answers.push(resolve))
    const handlers = walletHandlers({
      lists: unlimitedLists(),
      wallets: { claim: wait, page: () => ({ items: [], next: null }) },
      claims: new Map([['sep/eth', 'SEP']]),
      leaseMs: LEASE_MS,
      // What `callRoute` sends comes from 127.0.0.1, here as a proxy.
      claimLimit: limitOf(2, new ManualClock(), ['127.0.0.1/32']),
    })
    const claim = () =>
      callRoute(handlers, 'GET', '/api/wallets/claim/sep/eth', { headers: { 'x-forwarded-for': '192.0.2.1' } })
    const first = [claim(), claim()]
    assert.equal((await claim()).status, 429)
    assert.equal(answers.length, 2)
    for (const answer of answers.splice(0)) answer(null)
    for (const { status } of await Promise.all(first)) assert.equal(status, 503)
    // Nothing was handed out, so nothing is held.
    const again = claim()
    while (answers[0] === undefined) await new Promise((resolve) => setImmediate(resolve))
    for (const answer of answers) answer(null)
    assert.equal((await again).status, 503)
  })

  test('gives the reservation back when the store fails', async () => {
    let failures = 0
    const fail = async () => {
      failures += 1
      throw new Error('the disk is full')
    }
    const handlers = walletHandlers({
      lists: unlimitedLists(),
      wallets: { claim: fail, page: () => ({ items: [], next: null }) },
      claims: new Map([['sep/eth', 'SEP']]),
      leaseMs: LEASE_MS,
      claimLimit: limitOf(1, new ManualClock(), ['127.0.0.1/32']),
    })
    const head = headFrom('127.0.0.1', { 'x-forwarded-for': '192.0.2.1' })
    for (let claims = 0; claims < 3; claims += 1) {
      await assert.rejects(async () =>
        handlers['GET /api/wallets/claim/sep/eth']({ ...head, body: Buffer.alloc(0), aborted: false }, {}, null),
      )
    }
    assert.equal(failures, 3)
  })
})

describe('the service', () => {
  const wallets = Array.from({ length: 30 }, (_, i) => ({
    id: `free-${i}`,
    address: `0x${String(i).padStart(40, '0')}`,
    network: 'SEP',
  }))

  async function start(t: TestContext, environment: Readonly<Record<string, string>> = {}): Promise<ServiceFixture> {
    const fixture = await ServiceFixture.start({ BILLHOOK_TRUSTED_PROXIES: '127.0.0.0/8', ...environment })
    t.after(() => fixture.stop())
    await fixture.push(...wallets.map((wallet) => ({ id: wallet.id, type: 'wallet.created', wallet })))
    return fixture
  }

  function claim(fixture: ServiceFixture, client?: string): Promise<Reply> {
    const headers = client === undefined ? {} : { 'X-Forwarded-For': client }
    return fixture.call('GET', '/api/wallets/claim/sep/eth', { headers })
  }

  test('hands 20 wallets to one address unless told otherwise, and still serves others', async (t) => {
    const fixture = await start(t)
    for (let claims = 0; claims < 20; claims += 1) assert.equal((await claim(fixture, '192.0.2.1')).status, 200)
    const refused = await claim(fixture, '192.0.2.1')
    assertRefused(refused, ...REFUSAL)
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait > 500 && wait <= 600, `${wait}`)
    for (let claims = 0; claims < 10; claims += 1) assert.equal((await claim(fixture)).status, 200, 'loopback')
    assert.equal((await claim(fixture, '198.51.100.1')).status, 503, 'the refused claim used up no wallet')
  })

  test('hands out one wallet after the other to a client that assigns each', async (t) => {
    const fixture = await start(t)
    const more = Array.from({ length: 170 }, (_, i) => ({
      ...wallets[0],
      id: `more-${i}`,
      address: `0x${String(1000 + i).padStart(40, '0')}`,
    }))
    await fixture.push(...more.map((wallet) => ({ id: wallet.id, type: 'wallet.created', wallet })))
    for (let claims = 0; claims < 200; claims += 1) {
      const claimed = await claim(fixture, '192.0.2.1')
      assert.equal(claimed.status, 200, `claim ${claims}`)
      const { id } = claimed.json
      await fixture.push({ id: `assigned ${id}`, type: 'wallet.assigned', wallet: { id }, owner: 'shop' })
    }
  })

  test('takes another limit, and does not believe X-Forwarded-For of a peer that is no trusted proxy', async (t) => {
    const fixture = await start(t, { BILLHOOK_CLAIMS_PER_ADDRESS: '1', BILLHOOK_TRUSTED_PROXIES: '192.0.2.0/24' })
    for (let claims = 0; claims < 3; claims += 1) assert.equal((await claim(fixture, '198.51.100.1')).status, 200)
    const limited = await start(t, { BILLHOOK_CLAIMS_PER_ADDRESS: '1' })
    assert.equal((await claim(limited, '198.51.100.1')).status, 200)
    assert.equal((await limited.call('HEAD', '/api/wallets/claim/sep/eth')).status, 200)
    assertRefused(await claim(limited, '198.51.100.1'), ...REFUSAL)
  })

  test('limits nobody in the sandbox unless told to', async (t) => {
    const fixture = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', BILLHOOK_TRUSTED_PROXIES: '127.0.0.0/8' })
    t.after(() => fixture.stop())
    for (let claims = 0; claims < 25; claims += 1) assert.equal((await claim(fixture, '192.0.2.1')).status, 200)
  })
})
