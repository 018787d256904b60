import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signDer, type TestKey, testKey } from '../support/signing.js'
import { ContractHost, type ContractResult, HostedStream, sha256 } from './contract-host.js'

const id = (name: string) => sha256(`contract ${name}`)
const textOf = ({ publicKeyHex }: TestKey) => `0x${publicKeyHex}`
const ann = testKey('ann')
const ben = testKey('ben')
const NAME = 'shop.identity'
const ANN = sha256(`${textOf(ann)}${NAME}`)
const OPERATOR = sha256('operator')
const WALLET = sha256('wallet')

const onboard = new ContractHost('onboard', {
  '<id of assign.ts>': id('assign'),
  '<id of replace-key.ts>': id('replace-key'),
})
const wallet = new ContractHost('wallet', { '<id of your identity>': OPERATOR, '<id of assign.ts>': id('assign') })
const assign = new ContractHost('assign')
const replaceKey = new ContractHost('replace-key')

/** Names of the contract that nodes run it by, and that the service takes for something else. */
const PATHS = [`${id('x')}@/../../evil/${id('y')}`, `${id('x')}@../y`, `../evil/${id('y')}`, `${id('x')}@`]
const ENTRIES = ['x', '', null]

function identity(streamId: string, key: TestKey, keys: readonly string[] = [textOf(key)]): HostedStream {
  const stream = new HostedStream(streamId, false)
  stream.setAuthority(textOf(key), 'secp256k1')
  stream.setState({ type: NAME, keys })
  stream.isUpdated = false
  return stream
}

function walletStream(owner: string | null = null, type = 'shop.wallet'): HostedStream {
  const stream = new HostedStream(WALLET, false)
  stream.setState({ type, address: 'T1', network: 'TRX-NILE', owner })
  stream.isUpdated = false
  return stream
}

function signature($tx: object, key: TestKey): string {
  return signDer(Buffer.from(JSON.stringify($tx)), key).toString('base64')
}

/** What a node hands on: a text that it has verified, by the hash of its key. */
function sigsOf(stream: string, $tx: object, key: TestKey) {
  return { [stream]: { [sha256(textOf(key))]: signature($tx, key) } }
}

/** Objects in place of a signature, for all of which nodes commit a transaction. */
function unsigned($tx: object): readonly unknown[] {
  return [
    undefined,
    '',
    {},
    [],
    null,
    { bogus: 'eA==' },
    { [sha256(textOf(ann))]: 'eA==' },
    { [sha256(textOf(ann))]: 1 },
    { [sha256(textOf(ann))]: signature($tx, ben) },
    { [sha256(textOf(ben))]: signature($tx, ben) },
    { bogus: signature($tx, ann) },
    { [sha256(textOf(ann))]: signature({ ...$tx, $i: {} }, ann) },
    { [sha256(textOf(ann))]: signature($tx, ann), [sha256(textOf(ben))]: signature($tx, ben) },
    signature($tx, ann),
  ]
}

function streamIn(result: ContractResult, streamId: string): HostedStream {
  assert.ok(result instanceof Map, JSON.stringify(result))
  const stream: HostedStream | undefined = result.get(streamId)
  assert.ok(stream !== undefined)
  return stream
}

async function assertRefused(running: Promise<ContractResult>, why: string | RegExp): Promise<void> {
  const result = await running
  assert.ok('refused' in result, 'it was committed')
  assert.match(String(result.refused), typeof why === 'string' ? new RegExp(`^${why}$`) : why)
}

describe('examples/ledger-contracts/onboard.ts', () => {
  const tx = (more: object = {}, otk: object = { publicKey: textOf(ann), type: 'secp256k1' }) => {
    return { $contract: id('onboard'), $namespace: 'shop', $i: { otk }, ...more }
  }
  const run = ($tx: Readonly<Record<string, unknown>>, isSelfSigned = true) => onboard.run({ $tx, isSelfSigned })

  test('makes a stream of the key and the name, with the key as its only authority', async () => {
    const stream = streamIn(await run(tx()), ANN)
    assert.deepEqual(stream.authorities, [{ public: textOf(ann), type: 'secp256k1', hash: sha256(textOf(ann)) }])
    assert.deepEqual(stream.state, { type: NAME, keys: [textOf(ann)] })
    assert.equal(stream.isUpdated, true)
  })

  test('locks the identity to the contracts that verify signatures', async () => {
    assert.deepEqual(streamIn(await run(tx()), ANN).lock, [id('assign'), id('replace-key')])
    await assertRefused(
      new ContractHost('onboard').run({ $tx: tx(), isSelfSigned: true }),
      'the contract is not set up',
    )
  })

  test('takes nothing but one self-signed input, otk', async () => {
    await assertRefused(run(tx(), false), 'it must be self-signed')
    const otk = { publicKey: textOf(ann), type: 'secp256k1' }
    for (const more of [
      { $i: { otk, b: otk } },
      { $i: { b: otk } },
      { $i: {} },
      { $o: { wallet: { $stream: WALLET } } },
    ]) {
      await assertRefused(run(tx(more)), 'it takes one input, otk')
    }
  })

  test('accepts one spelling of a key', async () => {
    const why = /^publicKey must be 0x and the compressed key in lower-case hex$/
    const { publicKeyHex } = ann
    for (const publicKey of [
      publicKeyHex,
      `0x${publicKeyHex.toUpperCase()}`,
      `0x04${'a'.repeat(128)}`,
      'nonsense',
      1,
    ]) {
      await assertRefused(run(tx({}, { publicKey, type: 'secp256k1' })), why)
    }
    for (const type of ['rsa', undefined]) {
      await assertRefused(run(tx({}, { publicKey: textOf(ann), type })), 'type must be secp256k1')
    }
  })

  test('refuses a path in its name, and an entry point', async () => {
    for (const $contract of PATHS) await assertRefused(run(tx({ $contract })), 'the contract must be named by its id')
    for (const $entry of ENTRIES) await assertRefused(run(tx({ $entry })), 'there are no entry points')
    for (const $contract of [`${id('onboard')}@0.0.1`, 'onboard']) streamIn(await run(tx({ $contract })), ANN)
  })
})

describe('examples/ledger-contracts/wallet.ts', () => {
  const operator = () => ({ $stream: OPERATOR, address: 'T1', network: 'TRX-NILE' })
  const tx = (more: object = {}, input: object = operator()) => {
    return { $contract: id('wallet'), $namespace: 'shop', $i: { operator: input }, ...more }
  }
  const run = ($tx: Readonly<Record<string, unknown>>, sigs = sigsOf(OPERATOR, $tx, ann)) => {
    return wallet.run({ $tx, sigs, streams: [identity(OPERATOR, ann), identity(ANN, ann)] })
  }

  test('makes a wallet that nobody owns, locked to the contract that gives it away', async () => {
    const stream = streamIn(await run(tx()), sha256('umidshop.wallet'))
    assert.deepEqual(stream.state, { type: 'shop.wallet', address: 'T1', network: 'TRX-NILE', owner: null })
    assert.deepEqual([stream.lock, stream.isUpdated], [[id('assign')], true])
    await assertRefused(new ContractHost('wallet').run({ $tx: tx() }), 'the contract is not set up')
  })

  test('is for the operator alone', async () => {
    const other = tx({}, { ...operator(), $stream: ANN })
    await assertRefused(run(other, sigsOf(ANN, other, ann)), 'only the operator creates wallets')
    const $tx = tx()
    for (const sig of unsigned($tx)) {
      const sigs = { [OPERATOR]: sig } as ReturnType<typeof sigsOf>
      await assertRefused(run($tx, sigs), 'it must be signed by the operator')
    }
    const signed = { $tx, sigs: sigsOf(OPERATOR, $tx, ann), streams: [identity(OPERATOR, ann)] }
    await assertRefused(wallet.run({ ...signed, isSelfSigned: true }), 'it must be signed by the operator')
  })

  test('takes an address and a network, and nothing else', async () => {
    await assertRefused(run(tx({}, { ...operator(), address: '' })), 'address is missing')
    await assertRefused(run(tx({}, { ...operator(), network: undefined })), 'network is missing')
    await assertRefused(run(tx({ $o: { wallet: {} } })), 'it takes one input, operator')
    await assertRefused(run(tx({ $i: { operator: operator(), b: {} } })), 'it takes one input, operator')
    for (const $contract of PATHS) await assertRefused(run(tx({ $contract })), 'the contract must be named by its id')
    for (const $entry of ENTRIES) await assertRefused(run(tx({ $entry })), 'there are no entry points')
  })
})

describe('examples/ledger-contracts/assign.ts', () => {
  const owner = { $stream: ANN, personal: true }
  const tx = (more: object = {}) => {
    const $i = { owner }
    return { $contract: id('assign'), $namespace: 'shop', $i, $o: { wallet: { $stream: WALLET } }, ...more }
  }
  const run = (
    $tx: Readonly<Record<string, unknown>>,
    target = walletStream(),
    sigs: object = sigsOf(ANN, $tx, ann),
  ) => {
    return assign.run({ $tx, sigs: { ...sigs }, streams: [identity(ANN, ann), target] })
  }

  test('gives the wallet to the identity, as a change of the output', async () => {
    const stream = streamIn(await run(tx()), WALLET)
    assert.deepEqual(stream.state, { type: 'shop.wallet', address: 'T1', network: 'TRX-NILE', owner: ANN })
    assert.equal(stream.isUpdated, true)
  })

  test('refuses a second assignment', async () => {
    await assertRefused(run(tx(), walletStream(sha256('somebody'))), 'the wallet is assigned already')
    await assertRefused(run(tx(), walletStream(ANN)), 'the wallet is assigned already')
  })

  test('verifies the signature, which nodes leave out for an object in its place', async () => {
    const $tx = tx()
    for (const sig of unsigned($tx))
      await assertRefused(run($tx, walletStream(), { [ANN]: sig }), 'it must be signed by the owner')
    await assertRefused(run($tx, walletStream(), {}), 'it must be signed by the owner')
    const signed = { $tx, sigs: sigsOf(ANN, $tx, ann), streams: [identity(ANN, ann), walletStream()] }
    await assertRefused(assign.run({ ...signed, isSelfSigned: true }), 'it must be signed by the owner')
  })

  test('takes the shape of the specification, and no other', async () => {
    const shape = 'it takes one input, owner, and one output, wallet'
    for (const more of [
      { $i: { owner, b: owner } },
      { $i: { me: owner } },
      { $o: {} },
      { $o: undefined },
      { $o: { w: { $stream: WALLET } } },
    ]) {
      await assertRefused(run(tx(more)), shape)
    }
    await assertRefused(run(tx({ $i: { owner: { $stream: ANN } } })), 'owner must be personal')
    for (const $stream of [`x${ANN}`, `${ANN}:stream`, ANN.toUpperCase(), undefined]) {
      await assertRefused(run(tx({ $i: { owner: { $stream, personal: true } } })), 'owner and wallet must be ids')
      await assertRefused(run(tx({ $o: { wallet: { $stream } } })), 'owner and wallet must be ids')
    }
    await assertRefused(run(tx(), walletStream(null, NAME)), 'wallet must be a wallet')
    for (const $contract of PATHS) await assertRefused(run(tx({ $contract })), 'the contract must be named by its id')
    for (const $entry of ENTRIES) await assertRefused(run(tx({ $entry })), 'there are no entry points')
  })
})

describe('examples/ledger-contracts/replace-key.ts', () => {
  const tx = (more: object = {}, input: object = { $stream: ANN, newKey: textOf(ben) }) => {
    return { $contract: id('replace-key'), $namespace: 'shop', $i: { owner: input }, ...more }
  }
  const run = (
    $tx: Readonly<Record<string, unknown>>,
    sigs: object = sigsOf(ANN, $tx, ann),
    keys?: readonly string[],
  ) => {
    return replaceKey.run({ $tx, sigs: { ...sigs }, streams: [identity(ANN, ann, keys)] })
  }

  test('puts the new key in the place of all others, and remembers each', async () => {
    const stream = streamIn(await run(tx()), ANN)
    assert.deepEqual(stream.authorities, [{ public: textOf(ben), type: 'secp256k1', hash: sha256(textOf(ben)) }])
    assert.deepEqual(stream.state['keys'], [textOf(ann), textOf(ben)])
  })

  test('verifies the signature of the present key', async () => {
    const $tx = tx()
    for (const sig of unsigned($tx))
      await assertRefused(run($tx, { [ANN]: sig }), 'it must be signed by the present key')
    const signed = { $tx, sigs: sigsOf(ANN, $tx, ann), streams: [identity(ANN, ann)] }
    await assertRefused(replaceKey.run({ ...signed, isSelfSigned: true }), 'it must be signed by the present key')
  })

  test('never goes back to a key, whose old replacement anyone could post again', async () => {
    await assertRefused(run(tx(), undefined, [textOf(ben), textOf(ann)]), 'the identity has had this key')
    await assertRefused(run(tx({}, { $stream: ANN, newKey: textOf(ann) })), 'the identity has had this key')
  })

  test('takes no text that is no key', async () => {
    const why = 'newKey must be 0x and the compressed key in lower-case hex'
    for (const newKey of ['', 'nonsense', ben.publicKeyHex, textOf(ben).toUpperCase(), undefined]) {
      await assertRefused(run(tx({}, { $stream: ANN, newKey })), why)
    }
  })

  test('takes one input, owner, and nothing else', async () => {
    const input = { $stream: ANN, newKey: textOf(ben) }
    for (const more of [{ $i: { owner: input, b: input } }, { $i: {} }, { $o: { wallet: {} } }]) {
      await assertRefused(run(tx(more)), 'it takes one input, owner')
    }
    await assertRefused(run(tx({}, { ...input, $stream: `x${ANN}` })), 'owner must be an id')
    for (const $contract of PATHS) await assertRefused(run(tx({ $contract })), 'the contract must be named by its id')
    for (const $entry of ENTRIES) await assertRefused(run(tx({ $entry })), 'there are no entry points')
  })
})
