import assert from 'node:assert/strict'
import {
  assignWallet,
  IDENTITY_PATH,
  identityFromPhrase,
  identityId,
  type LedgerSettings,
  onboard,
  type Signer,
} from '@billhook/client'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'

/*
 * `docs/vectors/identity.json`: what the client makes of recovery phrases, for clients in other languages. The seed and the private key are
 * steps on the way, which the client does not show.
 */

const PHRASES = [
  // Of the test vectors of BIP-39, and the one that development nodes of Ethereum begin with.
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
  'legal winner thank year wave sausage worth useful legal winner thank yellow',
  'letter advice cage absurd amount doctor acoustic avoid letter advice cage above',
  'zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong',
  'test test test test test test test test test test test junk',
]

/** Words that are no phrase, with the reason. */
const REFUSED = [
  { words: PHRASES[0]?.replace('about', 'abandon'), reason: 'the last word has another checksum' },
  { words: PHRASES[0]?.replace('about', 'abuot'), reason: 'a word is not in the list' },
  { words: 'abandon about', reason: 'two words' },
  { words: '', reason: 'no word' },
]

const LEDGER = {
  namespace: 'shop',
  contracts: { onboard: 'a'.repeat(64), assignOwner: 'b'.repeat(64) },
  onboardingName: 'shop.onboarding',
}
const WALLET = '6a7a00d0c2b04bb2'.repeat(4)

export async function identityVectors(): Promise<string> {
  const identities = []
  for (const phrase of PHRASES) identities.push(await vectorOf(phrase))
  const vectors = { path: IDENTITY_PATH, ledger: LEDGER, identities, refused: REFUSED }
  return `${JSON.stringify(vectors, null, 2)}\n`
}

async function vectorOf(phrase: string) {
  const signer = await identityFromPhrase(phrase)
  const identity = identityId(signer.publicKey, LEDGER.onboardingName)
  const seed = mnemonicToSeedSync(phrase)
  const { privateKey } = HDKey.fromMasterSeed(seed).derive(IDENTITY_PATH)
  return {
    phrase,
    seed: Buffer.from(seed).toString('hex'),
    privateKey: Buffer.from(privateKey ?? assert.fail()).toString('hex'),
    publicKey: signer.publicKey,
    identity,
    onboarding: await posted(signer, { new: [{ id: identity }] }, (ledger, key) => onboard(ledger, key)),
    assignment: {
      wallet: WALLET,
      ...(await posted(signer, { updated: [{ id: WALLET }] }, (ledger, key) => assignWallet(ledger, key, WALLET))),
    },
  }
}

/** What a step posts to a ledger node, and what of it was signed. */
async function posted(
  signer: Signer,
  streams: object,
  step: (ledger: LedgerSettings, signer: Signer) => Promise<unknown>,
): Promise<{ signed: string; sha256: string; signature: string; body: string }> {
  let body = ''
  let sha256 = ''
  const fetch = async (_url: unknown, init?: RequestInit) => {
    body = String(init?.body)
    return Response.json({ $summary: { total: 1, vote: 1, commit: 1 }, $streams: streams })
  }
  const noting: Signer = {
    publicKey: signer.publicKey,
    sign(digest) {
      sha256 = Buffer.from(digest).toString('hex')
      return signer.sign(digest)
    },
  }
  await step({ ...LEDGER, nodes: ['http://node.invalid'], fetch }, noting)
  const { $sigs, $tx } = JSON.parse(body) as { readonly $sigs: Record<string, string>; readonly $tx: object }
  const [signature = assert.fail()] = Object.values($sigs)
  return { signed: JSON.stringify($tx), sha256, signature, body }
}
