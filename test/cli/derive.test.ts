import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { createLog } from '../../src/log.js'
import { DEVELOPMENT_MNEMONIC } from '../support/evm-transaction.js'
import { privateKeyPem } from '../support/pem.js'
import { ServiceFixture, signedHeaders } from '../support/service-fixture.js'
import { testKey } from '../support/signing.js'
import { SERVER_UNDER_TEST } from '../support/store-under-test.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import type { Ended } from './child.js'
import { runInProcess } from './in-process.js'
import { runBillhook } from './shop.js'

const ONBOARDING_NAME = 'a name of the operator'
const STRICT = { BILLHOOK_STRICT: 'on', BILLHOOK_ONBOARDING_NAME: ONBOARDING_NAME }
/** No node answers there, so nothing is checked. */
const WATCHED_SEP = {
  BILLHOOK_SEP_URLS: 'http://127.0.0.1:9',
  BILLHOOK_SEP_TOKEN: '0xaA8E23Fb1079EA71e0a56F48a2aA51851D8433D0',
}
const FIRST_ADDRESSES = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
]

const root = HDKey.fromMasterSeed(mnemonicToSeedSync(DEVELOPMENT_MNEMONIC))

function xpub(path: string): string {
  return root.derive(path).publicExtendedKey
}

function identityOf(name: string): string {
  return createHash('sha256')
    .update(`0x${testKey(name).publicKeyHex}${ONBOARDING_NAME}`)
    .digest('hex')
}

interface Derived {
  readonly index: number
  readonly address: string
  readonly id: string
  readonly outcome: string
  readonly error: string | null
}

function derivedIn({ stdout }: Ended): readonly Derived[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

function summary(ended: Ended): readonly string[] {
  return derivedIn(ended).map(({ index, outcome }) => `${index} ${outcome}`)
}

/** A directory with extended keys in files, and the data of a service that knows no ledger. */
class World {
  private readonly place = temporaryDirectory()
  readonly lines: string[] = []
  service: ServiceFixture | null = null
  private accounts = 0

  get data(): string {
    return join(this.place.path, 'data')
  }

  async start(more: Readonly<Record<string, string>> = {}): Promise<ServiceFixture> {
    const log = createLog('debug', { write: (line) => void this.lines.push(line) })
    this.service = await ServiceFixture.start({ BILLHOOK_DATA: this.data, ...STRICT, ...more }, log)
    return this.service
  }

  async stop(): Promise<void> {
    await this.service?.stop()
    this.service = null
  }

  async close(): Promise<void> {
    await this.stop()
    this.place.remove()
  }

  run(...argv: readonly string[]): Promise<Ended> {
    return runInProcess([...argv, '--data', this.data], { cwd: this.place.path })
  }

  file(name: string, text: string): string {
    writeFileSync(join(this.place.path, name), text)
    return name
  }

  /** A file with the key of an account that no other test uses. */
  account(): string {
    this.accounts += 1
    return this.file(`account-${this.accounts}`, xpub(`m/44'/60'/${this.accounts}'`))
  }

  async identity(name: string): Promise<string> {
    const id = identityOf(name)
    const { code, stderr } = await this.run('identities', 'add', id)
    assert.deepEqual([code, stderr], [0, ''])
    return id
  }

  derive(file: string, owner: string, count: number | string, ...more: readonly string[]): Promise<Ended> {
    const flags = ['--xpub', file, '--network', 'SEP', '--owner', owner, '--count', String(count)]
    return this.run('wallets', 'derive', ...flags, ...more, '--json')
  }

  /** Everything that was printed, logged or recorded of what operators did. */
  async traces(...ended: readonly Ended[]): Promise<string> {
    const audit = await this.run('audit', 'list', '--json')
    return [...ended.flatMap(({ stdout, stderr }) => [stdout, stderr]), audit.stdout, ...this.lines].join('\n')
  }
}

describe('billhook identities add and wallets derive, with a service in strict mode that knows no ledger', () => {
  const world = new World()

  before(() => world.start())
  after(() => world.close())

  test('lead from an extended public key to an invoice, with signatures of the identity and of its API key', async () => {
    const [service, key] = [world.service ?? assert.fail(), testKey('api key of shop')]
    const owner = identityOf('shop')
    const exists = async () => (await service.get(`/api/identity/${owner}/exists`)).json
    assert.deepEqual(await exists(), { exists: false })
    const xpubFile = world.file('shop.xpub', `${xpub("m/44'/60'/0'")}\r\n`)
    const early = await world.derive(xpubFile, owner, 2)
    assert.equal(early.code, 1)
    assert.equal(JSON.parse(early.stderr).code, 'unknown_identity')

    const added = await world.run('identities', 'add', owner, '--json')
    assert.deepEqual([added.code, JSON.parse(added.stdout)], [0, { identity: owner, added: true }])
    const again = await world.run('identities', 'add', owner)
    assert.deepEqual([again.code, again.stdout], [0, `The identity ${owner} existed already.\n`])
    assert.deepEqual(await exists(), { exists: true })

    const derived = await world.derive(xpubFile, owner, 2)
    assert.deepEqual([derived.code, derived.stderr, summary(derived)], [0, '', ['0 added', '1 added']])
    const next = await world.derive(xpubFile, owner, 1)
    assert.deepEqual(summary(next), ['2 added'])
    const wallets = [...derivedIn(derived), ...derivedIn(next)]
    assert.deepEqual(
      wallets.map(({ address }) => address),
      FIRST_ADDRESSES,
    )

    writeFileSync(join(world.data, 'identity.pem'), privateKeyPem(testKey('shop')), { mode: 0o600 })
    writeFileSync(join(world.data, 'api.pem'), privateKeyPem(key), { mode: 0o600 })
    const flags = ['--register', '--owner', owner, '--key', 'identity.pem', '--url', service.url]
    const registered = await runInProcess(['keygen', 'api.pem', ...flags], { cwd: world.data })
    assert.deepEqual([registered.code, registered.stderr], [0, ''])
    const stranger = await runInProcess(
      ['keygen', 'stranger.pem', '--register', '--owner', owner, '--key', 'stranger.pem', '--url', service.url],
      { cwd: world.data },
    )
    assert.equal(stranger.code, 1)
    const body = JSON.stringify({ walletIds: [wallets[2]?.id], name: 'Tea', amount: '25', currency: 'USDT' })
    const created = await service.post('/api/invoices', body, signedHeaders(key, body, String(Date.now())))
    assert.equal(created.status, 201, created.text)
    assert.ok((await service.get(`/pay/${created.json.id}`)).text.includes(FIRST_ADDRESSES[2] ?? ''))
  })

  test('prints for people what was added, and what to do before money comes', async () => {
    const owner = await world.identity('people')
    const file = world.account()
    const flags = ['--xpub', file, '--network', 'TRX-NILE', '--owner', owner, '--count', '1']
    const { code, stdout, stderr } = await world.run('wallets', 'derive', ...flags)
    // A gateway reports deposits to this service.
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(
      stdout,
      /^index\taddress\tid\toutcome\n0\tT\w{33}\txpub-[0-9a-f]{16}-TRX-NILE-0{10}\tadded\nCompare an address with .*\n$/,
    )
  })

  test('warns where nobody would report a payment: neither nodes of the network nor a gateway', async () => {
    const alone = new World()
    try {
      await alone.start({ BILLHOOK_GATEWAY_SECRET: '', ...WATCHED_SEP })
      const owner = await alone.identity('alone')
      const file = alone.account()
      const derived = (network: string) =>
        alone.run('wallets', 'derive', '--xpub', file, '--network', network, '--owner', owner, '--count', '1')
      const silent = await derived('TRX-NILE')
      assert.equal(silent.code, 0)
      assert.match(silent.stderr, /^Warning: nothing reports deposits of TRX-NILE to this service, .*\n$/)
      const watched = await derived('SEP')
      assert.deepEqual([watched.code, watched.stderr], [0, ''])
    } finally {
      await alone.close()
    }
  })

  test('goes on behind the last wallet of the key on each network, whoever has it', async () => {
    const [alice, bob] = [await world.identity('alice'), await world.identity('bob')]
    const file = world.account()
    assert.deepEqual(summary(await world.derive(file, alice, 2)), ['0 added', '1 added'])
    assert.deepEqual(summary(await world.derive(file, bob, 1)), ['2 added'])
    assert.deepEqual(summary(await world.derive(file, bob, 1, '--from', '9')), ['9 added'])
    assert.deepEqual(summary(await world.derive(file, alice, 1)), ['10 added'])
    const tron = ['--xpub', file, '--network', 'TRX-NILE', '--owner', alice, '--count', '1', '--json']
    assert.deepEqual(summary(await world.run('wallets', 'derive', ...tron)), ['0 added'])
  })

  test('repeats a range without a change, and gives nobody the address of another', async () => {
    const [alice, bob] = [await world.identity('alice'), await world.identity('bob')]
    const file = world.account()
    const range = ['--from', '0']
    assert.deepEqual(summary(await world.derive(file, alice, 2, ...range)), ['0 added', '1 added'])
    const repeated = await world.derive(file, alice, 3, ...range)
    assert.deepEqual([repeated.code, summary(repeated)], [0, ['0 known', '1 known', '2 added']])
    const stolen = await world.derive(file, bob, 4, ...range)
    assert.deepEqual([stolen.code, summary(stolen)], [1, ['0 refused', '1 refused', '2 refused', '3 added']])
    const [first] = derivedIn(stolen)
    assert.equal(first?.error, `it is the address of the wallet ${first?.id}, which belongs to ${alice}`)
    const plain = ['--xpub', file, '--network', 'SEP', '--owner', bob, '--count', '1', ...range]
    const { code, stderr } = await world.run('wallets', 'derive', ...plain)
    assert.equal(code, 1)
    assert.match(stderr, /^0x\w{40} \(index 0\) is REFUSED: it is the address of the wallet xpub-/)
  })

  test('refuses the address of a wallet that came from elsewhere, and adds the others', async () => {
    const alice = await world.identity('alice')
    const file = world.account()
    const [{ address } = assert.fail()] = derivedIn(await world.derive(file, alice, 1, '--from', '1000'))
    assert.ok(address.startsWith('0x'))
    const other = world.account()
    const rehearsal = derivedIn(await world.derive(other, alice, 1, '--from', '5'))
    // The same key once more, one level below: its wallets have the same ids.
    const account = Number(other.slice('account-'.length))
    const chain = world.file('chain', xpub(`m/44'/60'/${account}'/0`))
    assert.deepEqual(derivedIn(await world.derive(chain, alice, 1, '--from', '5')), [
      { ...rehearsal[0], outcome: 'known' },
    ])

    const unused = world.account()
    const at = root.derive(`m/44'/60'/${unused.slice('account-'.length)}'/0/1`).publicKey ?? assert.fail()
    const { addressOfKey } = await import('../../src/networks/key-address.js')
    const { noble } = await import('../../src/crypto/noble.js')
    const taken = addressOfKey('evm', noble.uncompress(at)).toLowerCase()
    await world.service?.assign('carol', { id: 'elsewhere', address: taken, network: 'SEP' })
    const derived = await world.derive(unused, alice, 3)
    assert.deepEqual([derived.code, summary(derived)], [1, ['0 added', '1 refused', '2 added']])
    assert.equal(derivedIn(derived)[1]?.error, 'it is the address of the wallet elsewhere, which belongs to carol')
    assert.deepEqual(summary(await world.derive(unused, alice, 1)), ['3 added'])
  })

  test('adds each address once when two commands run at once', async () => {
    const alice = await world.identity('alice')
    const file = world.account()
    const ended = await Promise.all([world.derive(file, alice, 60), world.derive(file, alice, 60)])
    for (const { code, stderr } of ended) assert.deepEqual([code, stderr], [0, ''])
    const added = ended.flatMap((one) => derivedIn(one).filter(({ outcome }) => outcome === 'added'))
    assert.deepEqual(
      added.map(({ index }) => index).toSorted((a, b) => a - b),
      Array.from({ length: 120 }, (_, i) => i),
    )
    assert.equal(new Set(added.map(({ address }) => address)).size, 120)
  })

  test('takes as many at once as it says', async () => {
    const alice = await world.identity('alice')
    const derived = await world.derive(world.account(), alice, 1000)
    assert.deepEqual([derived.code, derived.stderr, derivedIn(derived).length], [0, '', 1000])
  })

  test('names the networks that there are, and stops at the last address of a key', async () => {
    const alice = await world.identity('alice')
    const file = world.account()
    const flags = ['--xpub', file, '--network', 'ETH', '--owner', alice, '--count', '1']
    const unknown = await world.run('wallets', 'derive', ...flags)
    assert.deepEqual(
      [unknown.code, unknown.stdout, unknown.stderr],
      [1, '', 'billhook: ETH is not a network of this service, which has SEP, TRX-NILE\n'],
    )
    const beyond = await world.derive(file, alice, 2, '--from', '2147483647')
    assert.deepEqual([beyond.code, beyond.stdout], [1, ''])
    assert.match(beyond.stderr, /up to the index 2147483647: 2 from 2147483647 on go beyond/)
    assert.deepEqual(summary(await world.derive(file, alice, 1, '--from', '2147483647')), ['2147483647 added'])
    const over = await world.derive(file, alice, 1)
    assert.equal(over.code, 1)
    assert.match(over.stderr, /1 from 2147483648 on go beyond/)
  })

  test('leaves a record of each, with the identity and the range', async () => {
    const owner = await world.identity('audited')
    const file = world.account()
    const [{ id } = assert.fail()] = derivedIn(await world.derive(file, owner, 3))
    const prefix = id.slice(0, -'0000000000'.length)
    await world.derive(file, identityOf('nobody'), 1)
    const { stdout } = await world.run('audit', 'list', '--json')
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ action, owner: whose, subject, outcome, detail }) => [action, whose, subject, outcome, detail])
    assert.deepEqual(records.slice(0, 3), [
      ['wallets.derive', identityOf('nobody'), `${prefix}3 to 3`, 'refused', 'unknown_identity'],
      ['wallets.derive', owner, `${prefix}0 to 2`, 'done', '3 added, 0 known already, 0 refused'],
      ['identity.add', owner, owner, 'done', 'added'],
    ])
  })

  test('never repeats a private key, wherever an operator puts it', async () => {
    const alice = await world.identity('alice')
    const xprv = root.derive("m/44'/60'/0'").privateExtendedKey
    const file = world.file('secret', xprv)
    const flags = ['--network', 'SEP', '--owner', alice, '--count', '1']
    const words = DEVELOPMENT_MNEMONIC.replaceAll('test', 'abandon').split(' ')
    const derive = (...more: readonly string[]) => world.run('wallets', 'derive', ...flags, ...more)
    const inFile = await derive('--xpub', file)
    assert.deepEqual([inFile.code, inFile.stdout], [1, ''])
    assert.match(
      inFile.stderr,
      /^billhook: secret holds a private key or a recovery phrase, which must never come near/,
    )
    const ended = [inFile]
    for (const wrong of [
      ['--xpub', xprv],
      [`--xpub=${xprv}`],
      ['--xpub', `0x${'1a'.repeat(32)}`],
      ['--xpub', file, xprv],
      ['--xprv', xprv, '--xpub', file],
      ['--xpub', ...words],
    ]) {
      const one = await derive(...wrong)
      assert.deepEqual([one.code, one.stdout], [2, ''], one.stderr)
      ended.push(one)
    }
    const traces = await world.traces(...ended)
    for (const secret of [xprv.slice(20, 40), '1a1a1a1a', 'abandon', 'junk'])
      assert.ok(!traces.includes(secret), secret)
  })

  test('warns of a file that others may write', async () => {
    const alice = await world.identity('alice')
    const file = world.account()
    chmodSync(join(world.data, '..', file), 0o622)
    const { code, stderr } = await world.derive(file, alice, 1)
    assert.equal(code, 0)
    assert.match(stderr, /^Warning: other users may write account-\d+ \(mode 622\): with a key of theirs/)
  })

  const wrong: readonly (readonly [flags: readonly string[], problem: RegExp])[] = [
    [['--count', '0'], /^--count must be an integer from 1 to 1000, not "0"\.$/],
    [['--count', '-1'], /^--count must be .* not "-1"\.$/],
    [['--count', '1e9'], /^--count must be .* not "1e9"\.$/],
    [['--count', '1001'], /^--count must be /],
    [['--count', '1', '--from', '-1'], /^--from must be an integer from 0 to 2147483647, not "-1"\.$/],
    [['--count', '1', '--from', '2147483648'], /^--from must be /],
    [['--count', '1', '--from', '0x1'], /^--from must be /],
    [[], /^derive needs --count\.$/],
  ]
  for (const [flags, problem] of wrong) {
    test(`refuses ${flags.join(' ') || 'no count'} in one line, and does nothing`, async () => {
      const file = world.account()
      const given = ['--xpub', file, '--network', 'SEP', '--owner', identityOf('alice'), ...flags]
      const { code, stdout, stderr } = await world.run('wallets', 'derive', ...given)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr.trimEnd(), problem)
    })
  }

  test('refuses what is no identity, and says of a name that no key can sign for it', async () => {
    for (const id of ['', ' ', ' x', 'x\n', 'x'.repeat(129)]) {
      const { code, stdout, stderr } = await world.run('identities', 'add', id)
      assert.deepEqual([code, stdout], [2, ''], JSON.stringify(id))
      assert.match(stderr, /an identity must have 1 to 128 characters and no space around them\.\n$/)
    }
    const named = await world.run('identities', 'add', 'shop / 1')
    assert.deepEqual([named.code, named.stdout], [0, 'The identity shop / 1 exists now.\n'])
    assert.match(
      named.stderr,
      /^Warning: it is not 64 lower-case hex digits, so in strict mode no key can sign for it\.\n$/,
    )
  })
})

describe('billhook identities add and wallets derive without a running service', () => {
  const world = new World()

  before(async () => {
    await world.start()
    await world.stop()
  })
  after(() => world.close())

  test('do the same on the directory, which a service then serves', {
    skip: SERVER_UNDER_TEST in process.env && 'its commands know the data directory only',
  }, async () => {
    const owner = await world.identity('shop')
    const file = world.account()
    assert.deepEqual(summary(await world.derive(file, owner, 2)), ['0 added', '1 added'])
    assert.deepEqual(summary(await world.derive(file, owner, 1)), ['2 added'])
    const fromInput = await runBillhook(
      [
        'wallets',
        'derive',
        '--xpub',
        '-',
        '--network',
        'SEP',
        '--owner',
        owner,
        '--count',
        '1',
        '--data',
        world.data,
        '--json',
      ],
      { cwd: world.data, input: xpub("m/44'/60'/1'") },
    )
    assert.deepEqual([fromInput.code, fromInput.stderr, summary(fromInput)], [0, '', ['3 added']])
    const checked = await world.run('check')
    assert.equal(checked.code, 0, checked.stdout)
    await world.start({ BILLHOOK_STRICT: 'off' })
    const { json } = (await world.service?.get(`/api/users/${owner}/wallets`)) ?? assert.fail()
    assert.equal(json.length, 4)
    assert.deepEqual(summary(await world.derive(file, owner, 1)), ['4 added'])
  })
})
