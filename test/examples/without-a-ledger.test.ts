import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Point, recoverPublicKeyAsync, signAsync } from '@noble/secp256k1'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { addressOfKey } from '../../src/networks/key-address.js'
import { accountOfAddress, addressOfAccount } from '../../src/networks/tron/address.js'
import { runInProcess } from '../cli/in-process.js'
import { token as tronToken } from '../networks/tron/fixture.js'
import { anvilAbsence } from '../support/anvil.js'
import { callData, EthereumChain } from '../support/ethereum-chain.js'
import { type EvmAccount, signTransaction } from '../support/evm-transaction.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { runBash } from '../support/shell.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { EmulatedTronChain } from '../support/tron-chain.js'
import { openTronNode } from '../support/tron-node.js'
import { tokenTransfer } from '../support/tron-transactions.js'

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url))
/** Several times what it takes on a slow machine. */
const TIMEOUT_MS = 120_000
const CHAIN_ID = 1
const ONBOARDING_NAME = 'shop.example'
const BLOCK_MS = 3000
const BLOCKS_BEFORE = 60
const SOLIDIFYING = 20
const USDT = 1_000_000n
const GAS_PRICE = 2_000_000_000n
const ETHER = 10n ** 18n
const SAFE = `0x${'5afe'.repeat(10)}`

const page = readFileSync(join(projectRoot, 'docs/without-a-ledger.md'), 'utf8')

function blocks(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  )
}

/** Both networks, and a service that watches them with the settings of the page. */
class World {
  private constructor(
    readonly files: string,
    readonly ethereum: EthereumChain,
    readonly usdt: string,
    readonly tron: EmulatedTronChain,
    readonly service: ServiceFixture,
  ) {}

  get data(): string {
    return join(this.files, 'data')
  }

  static async start(t: TestContext): Promise<World> {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const ethereum = await EthereumChain.start([], String(CHAIN_ID))
    t.after(() => ethereum.stop())
    const usdt = await ethereum.deployToken()
    const tron = new EmulatedTronChain(Date.now() - BLOCKS_BEFORE * BLOCK_MS)
    tron.produceEmpty(BLOCKS_BEFORE)
    const node = await openTronNode(tron, tronToken)
    t.after(() => node.close())
    const evm = entryOf('ethereum', { contract: usdt, urls: [ethereum.node.url], more: { confirmations: 2 } })
    const genesis = tron.blocks[0]?.hash
    const contract = addressOfAccount(tronToken.account)
    const trx = entryOf('tron', { contract, urls: [node.url], more: { genesis } })
    writeFileSync(join(place.path, 'networks.json'), JSON.stringify({ networks: [evm, trx] }))
    const service = await ServiceFixture.start({
      ...settingsOfPage(),
      BILLHOOK_NETWORKS: join(place.path, 'networks.json'),
      BILLHOOK_DATA: join(place.path, 'data'),
    })
    t.after(() => service.stop())
    const program = join(place.path, 'billhook')
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
    chmodSync(program, 0o755)
    symlinkSync(join(projectRoot, 'node_modules'), join(place.path, 'node_modules'))
    return new World(place.path, ethereum, usdt, tron, service)
  }

  /** The invoices of the shop, as the operator sees them. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever field they assert on.
  async invoices(): Promise<readonly any[]> {
    const { code, stdout, stderr } = await runInProcess(['export', 'invoices', '--data', this.data], {
      cwd: this.files,
    })
    assert.equal(code, 0, stderr)
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  async tokensOf(address: string): Promise<bigint> {
    const call = { to: this.usdt, data: callData('balanceOf(address)', [address]) }
    return BigInt((await this.ethereum.node.call('eth_call', call, 'latest')) as string)
  }
}

/** An entry of docs/networks for nodes of a test, which have one token. */
function entryOf(
  name: string,
  { contract, urls, more }: { readonly contract: string; readonly urls: readonly string[]; readonly more: object },
) {
  const { networks } = JSON.parse(readFileSync(join(projectRoot, `docs/networks/${name}.json`), 'utf8'))
  const [entry] = networks
  const [token] = entry.tokens
  return { ...entry, tokens: [{ ...token, contract }], urls, pollMs: 100, ...more }
}

function settingsOfPage(): Readonly<Record<string, string>> {
  const [settings = ''] = blocks('ini')
  const pairs = settings
    .trimEnd()
    .split('\n')
    .map((line) => line.split('='))
  assert.ok(pairs.some(([name, value]) => name === 'BILLHOOK_ONBOARDING_NAME' && value === ONBOARDING_NAME))
  return Object.fromEntries(pairs)
}

describe('docs/without-a-ledger.md', { skip: anvilAbsence || missingPrograms('bash', 'openssl') }, () => {
  test('leads from an extended public key to payments that its private keys spend', {
    timeout: TIMEOUT_MS,
  }, async (t) => {
    const world = await World.start(t)
    const [program = ''] = blocks('js')
    writeFileSync(join(world.files, 'keys.mjs'), program)
    const made = spawnSync(process.execPath, ['keys.mjs'], { cwd: world.files, encoding: 'utf8' })
    assert.deepEqual([made.status, made.stderr], [0, ''])
    const phrase = readFileSync(join(world.files, 'phrase'), 'utf8').trim()
    const root = HDKey.fromMasterSeed(mnemonicToSeedSync(phrase))
    const keyAt = (path: string) => root.derive(path).privateKey ?? assert.fail()

    const shell = (script: string) =>
      runBash(['-es'], {
        script: `set -o pipefail; cd '${world.files}'\n${script}`,
        environment: {
          PATH: `${world.files}:${process.env['PATH']}`,
          BASE_URL: world.service.url,
          BILLHOOK_DATA: world.data,
        },
        timeoutMs: TIMEOUT_MS,
      })
    const commands = blocks('sh')
    const ordered = await shell(`${commands.slice(0, -1).join('\n')}\nexport INVOICE; export -p > exported`)
    assert.deepEqual([ordered.code, ordered.stderr], [0, ''], ordered.stdout)
    assert.match(ordered.stdout, /^0\t0x[0-9A-Fa-f]{40}\txpub-[0-9a-f]{16}-ETH-0{10}\tadded$/m)
    assert.match(ordered.stdout, /^19\tT\w{33}\txpub-[0-9a-f]{16}-TRX-0{8}19\tadded$/m)
    const [invoice] = await world.invoices()
    assert.ok(invoice !== undefined)

    // The payer pays one half on each network.
    const [evmKey, tronKey] = [keyAt("m/44'/60'/0'/0/0"), keyAt("m/44'/195'/0'/0/0")]
    const [evmAddress, tronAddress] = [addressOf('evm', evmKey), addressOf('tron', tronKey)]
    const shown = (await world.service.get(`/pay/${invoice.id}`)).text
    for (const address of [evmAddress, tronAddress]) assert.ok(shown.includes(address), address)
    await world.ethereum.sendCall(world.usdt, 'transfer(address,uint256)', [evmAddress, USDT / 2n])
    await world.ethereum.mine(4)
    // Its blocks are dated by their number: none of before the invoice pays it.
    while (world.tron.newestMs < invoice.created_at) world.tron.produceEmpty(1)
    world.tron.produce(tokenTransfer(tronToken.account, accountOfAddress(tronAddress) ?? '', USDT / 2n))
    world.tron.produceEmpty(SOLIDIFYING)
    const watched = await shell(`. ./exported\n${commands.at(-1)}`)
    assert.deepEqual([watched.code, watched.stderr], [0, ''], watched.stdout)
    assert.match(watched.stdout, /^Payment +paid: 1 USDT received$/m)

    // Now spend it: coins for the fee, then the token.
    const account: EvmAccount = { address: evmAddress, secretKey: evmKey }
    await world.ethereum.send({ to: evmAddress, value: ETHER })
    await world.ethereum.mine()
    const data = callData('transfer(address,uint256)', [SAFE, USDT / 2n])
    const fields = { type: 2, chainId: CHAIN_ID, nonce: 0, gasPrice: GAS_PRICE, gas: 100_000n, value: 0n } as const
    const signed = await signTransaction({ ...fields, to: world.usdt, data }, account)
    await world.ethereum.node.call('eth_sendRawTransaction', signed)
    await world.ethereum.mine()
    assert.deepEqual([await world.tokensOf(SAFE), await world.tokensOf(evmAddress)], [USDT / 2n, 0n])

    // A TRON node takes a transaction of the account whose key recovers from the signature over its id.
    const id = Buffer.from('ab'.repeat(32), 'hex')
    const signature = await signAsync(id, tronKey, { prehash: false, format: 'recovered' })
    const signer = Point.fromBytes(await recoverPublicKeyAsync(signature, id, { prehash: false }))
    assert.equal(addressOfKey('tron', signer.toBytes(false)), tronAddress)

    const [afterwards] = await world.invoices()
    assert.equal(afterwards.payment.status, 'paid')
  })
})

function addressOf(kind: 'evm' | 'tron', secretKey: Uint8Array): string {
  const { publicKey } = new HDKey({ privateKey: secretKey, chainCode: new Uint8Array(32) })
  return addressOfKey(kind, Point.fromBytes(publicKey ?? assert.fail()).toBytes(false))
}
