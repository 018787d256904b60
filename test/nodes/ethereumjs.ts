import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { EngineApi, type ForkChoice } from '../support/engine-api.js'
import { askNode } from '../support/evm-node.js'
import { developmentAccounts } from '../support/evm-transaction.js'
import { freePort } from '../support/free-port.js'
import type { NodePlace } from './implementations.js'
import { packagesDirectory } from './packages.js'
import { Program } from './program.js'
import { SigningNode } from './signing-node.js'

const MS_PER_SECOND = 1000
const ZERO_HASH = `0x${'00'.repeat(32)}`
/** The node calls a block safe under so many others, and final under so many. */
const SAFE_DEPTH = 4
const FINAL_DEPTH = 8
const LISTEN_TRIES = 200
const LISTEN_PAUSE_MS = 50
const SECRET = Buffer.alloc(32, 7)

interface Header {
  readonly hash: string
  readonly number: string
  readonly timestamp: string
}

/** Starts the client of EthereumJS, without peers, and drives it as a consensus client does. */
export async function startEthereumJs({ chainId, directory, port }: NodePlace): Promise<SigningNode> {
  const [genesis, secret] = [join(directory, 'genesis.json'), join(directory, 'secret')]
  // A chain that is there already keeps its first block.
  if (!existsSync(genesis)) writeFileSync(genesis, JSON.stringify(genesisOf(chainId)))
  writeFileSync(secret, `0x${SECRET.toString('hex')}`)
  const enginePort = await freePort()
  const { program } = await Program.start({
    executable: process.execPath,
    argv: [
      join(packagesDirectory, '@ethereumjs/client/dist/esm/bin/cli.js'),
      ...['--dataDir', join(directory, 'chain'), '--gethGenesis', genesis, '--logRotate=false'],
      // Without this it listens for peers on all addresses.
      ...['--sync', 'none', '--isSingleNode'],
      ...['--rpc', '--rpcAddr', '127.0.0.1', '--rpcPort', String(port), '--saveReceipts'],
      ...['--rpcEngine', '--rpcEngineAddr', '127.0.0.1', '--rpcEnginePort', String(enginePort)],
      ...['--rpcEngineAuth', '--jwtSecret', secret],
    ],
    directory,
    ready: /Client started successfully/,
  })
  const url = `http://127.0.0.1:${port}`
  const engine = new EngineApi(`http://127.0.0.1:${enginePort}`, SECRET)
  // It says that it has started before it listens.
  for (const each of [url, engine.url]) await listening(each)
  const blockAt = async (tag: string) => {
    const block = (await askNode(url, 'eth_getBlockByNumber', [tag, false])) as Header | null
    return block ?? assert.fail(`no block ${tag}`)
  }
  let final = 0
  /** What to say when the block of a height is the newest one. What was final stays so. */
  const choiceOf = async (height: number, head: string): Promise<ForkChoice> => {
    const hashOf = async (at: number) => (at <= 0 ? ZERO_HASH : (await blockAt(hex(at))).hash)
    final = Math.max(final, height - FINAL_DEPTH)
    return { head, safe: await hashOf(Math.max(final, height - SAFE_DEPTH)), finalized: await hashOf(final) }
  }
  let built = 0
  return new SigningNode(url, {
    mine: async (waiting) => {
      const { hash, number, timestamp } = await blockAt('latest')
      const next = Math.max(Number(timestamp) + 1, Math.floor(Date.now() / MS_PER_SECOND))
      const before = await choiceOf(Number(number), hash)
      built += 1
      const head = await engine.build(before, { timestamp: next, randao: word(built), waiting })
      await engine.choose(await choiceOf(Number(number) + 1, head))
    },
    rewind: async (height) => {
      await engine.choose(await choiceOf(height, (await blockAt(hex(height))).hash))
    },
    stop: () => program.stop(),
  })
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** Resolves when somebody takes connections there. */
async function listening(url: string): Promise<void> {
  for (let tries = 0; tries < LISTEN_TRIES; tries += 1) {
    const isThere = await fetch(url).then(
      (response) => response.text().then(() => true),
      () => false,
    )
    if (isThere) return
    await pause(LISTEN_PAUSE_MS)
  }
  assert.fail(`nobody listens at ${url}`)
}

/** A chain with all forks up to Cancun from its first block on, as geth writes it. */
function genesisOf(chainId: number): object {
  const before = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul']
  const forks = [...before, 'berlin', 'london', 'mergeNetsplit'].map((fork) => [`${fork}Block`, 0])
  const wealth = developmentAccounts().map(({ address }) => [address, { balance: '0x21e19e0c9bab2400000' }])
  return {
    config: {
      chainId,
      ...Object.fromEntries(forks),
      terminalTotalDifficulty: 0,
      terminalTotalDifficultyPassed: true,
      shanghaiTime: 0,
      cancunTime: 0,
      blobSchedule: { cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 } },
    },
    nonce: '0x0',
    timestamp: `0x${Math.floor(Date.now() / MS_PER_SECOND - 1).toString(16)}`,
    gasLimit: '0x1c9c380',
    difficulty: '0x0',
    extraData: '0x',
    mixHash: ZERO_HASH,
    coinbase: `0x${'00'.repeat(20)}`,
    baseFeePerGas: '0x3b9aca00',
    alloc: Object.fromEntries(wealth),
  }
}
