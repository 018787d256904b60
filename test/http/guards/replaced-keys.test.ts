import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { serveNode } from '../../ledger/node-server.js'
import { assertRefused, ServiceFixture } from '../../support/service-fixture.js'
import { signRequest, type TestKey, testKey } from '../../support/signing.js'

/*
 * Strict mode, and an identity whose key was replaced on the ledger.
 */

const ONBOARDING_NAME = 'acme.onboarding'
const REGISTER = 'POST /api/api-keys'
const FIRST = testKey('replaced identity key')
const SECOND = testKey('replacing identity key')
const IDENTITY = createHash('sha256').update(`0x${FIRST.publicKeyHex}${ONBOARDING_NAME}`).digest('hex')

const NOT_IDENTITY = [403, 'The request is not signed with the key of this identity.', 'not_identity_key'] as const
const UNREACHABLE = [503, 'The ledger could not be reached. Try again later.', 'ledger_unreachable'] as const

/** A node that tells what the test wants of the identity. */
interface Node {
  readonly url: string
  authority: TestKey
  txs: number
  isAway: boolean
}

async function startNode(context: TestContext): Promise<Node> {
  const node = { url: '', authority: FIRST, txs: 1, isAway: false }
  node.url = await serveNode(context, (_, response) => {
    const authorities = [{ public: `0x${node.authority.publicKeyHex}`, type: 'secp256k1', stake: 100 }]
    const txs = Array.from({ length: node.txs }, (_, i) => i.toString(16).padStart(64, '0'))
    const stream = { $stream: true, umid: `0x${FIRST.publicKeyHex}`, name: ONBOARDING_NAME, authorities, txs }
    response.writeHead(node.isAway ? 503 : 200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(node.isAway ? {} : { stream }))
  })
  return node
}

let keysMade = 0

function newKey(): TestKey {
  keysMade += 1
  return testKey(`api key ${keysMade}`)
}

/** Registers a new API key with the signature of a key for the identity. */
function register(fixture: ServiceFixture, signer: TestKey, apiKey = newKey()) {
  const body = JSON.stringify({
    owner: IDENTITY,
    label: 'shop',
    publicKey: apiKey.publicKeyHex,
    permissions: ['invoices:create'],
  })
  const timestamp = String(Date.now())
  return fixture.post('/api/api-keys', body, {
    'X-Service-Api-Key': signer.publicKeyHex,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signRequest(signer, REGISTER, timestamp, body),
  })
}

async function strictService(context: TestContext, settings: Readonly<Record<string, string>>) {
  const fixture = await ServiceFixture.start({
    BILLHOOK_STRICT: 'on',
    BILLHOOK_ONBOARDING_NAME: ONBOARDING_NAME,
    ...settings,
  })
  context.after(() => fixture.stop())
  return fixture
}

describe('a key that was replaced on the ledger', () => {
  test('registers nothing any more, and the new one does at once; API keys of before stay', async (context) => {
    const node = await startNode(context)
    const fixture = await strictService(context, { BILLHOOK_LEDGER_URL: node.url })
    const apiKey = testKey('registered before')
    assert.equal((await register(fixture, FIRST, apiKey)).status, 201)
    assertRefused(await register(fixture, SECOND), ...NOT_IDENTITY)
    node.authority = SECOND
    node.txs = 2
    const reply = await register(fixture, SECOND)
    assert.equal(reply.status, 201, reply.text)
    assertRefused(await register(fixture, FIRST), ...NOT_IDENTITY)
    const timestamp = String(Date.now())
    const tag = 'GET /api/users/:id/api-keys'
    const listed = await fixture.get(`/api/users/${IDENTITY}/api-keys`, {
      'X-Service-Api-Key': apiKey.publicKeyHex,
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': signRequest(apiKey, tag, timestamp, ''),
    })
    assert.equal(listed.status, 200, listed.text)
  })

  test('is not kept alive by a node that lags behind', async (context) => {
    const [node, behind] = [await startNode(context), await startNode(context)]
    const fixture = await strictService(context, { BILLHOOK_LEDGER_URL: `${behind.url},${node.url}` })
    assert.equal((await register(fixture, FIRST)).status, 201)
    // Nobody can tell which of two is right, until the one that lags behind has it, too.
    node.authority = SECOND
    assertRefused(await register(fixture, SECOND), ...NOT_IDENTITY)
    node.txs = 2
    behind.authority = SECOND
    behind.txs = 2
    assert.equal((await register(fixture, SECOND)).status, 201)
    // Alone to answer, and as it was before.
    node.isAway = true
    behind.authority = FIRST
    behind.txs = 1
    assertRefused(await register(fixture, FIRST), ...NOT_IDENTITY)
  })

  test('is unknown when no node answers and nothing was seen', async (context) => {
    const node = await startNode(context)
    node.isAway = true
    const fixture = await strictService(context, { BILLHOOK_LEDGER_URL: node.url })
    assertRefused(await register(fixture, FIRST), ...UNREACHABLE)
  })

  test('is known from the gateway where no ledger is asked', async (context) => {
    const fixture = await strictService(context, {})
    await fixture.push({ id: 'onboarded', type: 'identity.onboarded', identity: IDENTITY })
    assert.equal((await register(fixture, FIRST)).status, 201)
    await fixture.push({ id: 'keys', type: 'identity.keys', identity: IDENTITY, keys: [`0x${SECOND.publicKeyHex}`] })
    assertRefused(await register(fixture, FIRST), ...NOT_IDENTITY)
    assert.equal((await register(fixture, SECOND)).status, 201)
    // And back: the last push counts.
    await fixture.push({ id: 'back', type: 'identity.keys', identity: IDENTITY, keys: [`0x${FIRST.publicKeyHex}`] })
    assert.equal((await register(fixture, FIRST)).status, 201)
    assertRefused(await register(fixture, SECOND), ...NOT_IDENTITY)
  })
})
