import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { endChild, untilLine } from './child-process.js'
import type { EvmNode, TransactionRequest } from './evm-node.js'
import { absenceOf } from './programs.js'
import { temporaryDirectory } from './temporary-directory.js'

/** The binary of each platform is in another package, whose name begins with this one. */
const PACKAGE = '@foundry-rs/anvil'
const CHAIN_ID = '11155111'
/** Far longer than any answer takes. */
const ANSWER_LIMIT_MS = 60_000
/** Names of architectures in its packages. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

const parent = findPackage()
const binary = parent === null ? null : findBinary(parent)

/** Why tests that need a node are skipped; false when there is one. */
export const anvilAbsence: string | false = absence()

/** A real Ethereum node in a process of its own, with a chain that exists for the test only. */
export class Anvil implements EvmNode {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly removeHome: () => void,
  ) {}

  /** Starts a node that mines on request. Transactions enter a block in the order in which they were sent. */
  static async start(flags: readonly string[] = [], chainId = CHAIN_ID): Promise<Anvil> {
    assert.ok(binary !== null, String(anvilAbsence))
    const home = temporaryDirectory()
    const argv = ['--port', '0', '--chain-id', chainId, '--no-mining', '--order', 'fifo', ...flags]
    const child = spawn(binary, argv, { stdio: ['ignore', 'pipe', 'inherit'], env: { HOME: home.path } })
    const address = await untilLine(child, (line) => /^Listening on (\S+)/.exec(line)?.[1])
    const anvil = new Anvil(child, `http://${address}`, home.remove)
    if (!flags.includes('--timestamp')) await anvil.setClock()
    return anvil
  }

  /**
   * The node takes the time twice while it starts, and is behind by the seconds between for as long as it lives. A deposit would
   * then be older than the invoice that it pays.
   */
  private async setClock(): Promise<void> {
    let second: number
    do {
      second = Math.floor(Date.now() / 1000)
      await this.call('evm_setTime', second)
    } while (Math.floor(Date.now() / 1000) !== second)
  }

  /** Calls a method of the node; a node's error is thrown. */
  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const [result] = await this.callAll([{ method, params }])
    return result
  }

  /** Calls methods in order, in one request. */
  async callAll(calls: readonly { method: string; params: readonly unknown[] }[]): Promise<readonly unknown[]> {
    const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    })
    const answers = (await response.json()) as readonly { id: number; result?: unknown; error?: unknown }[]
    assert.equal(answers.length, calls.length)
    return answers.map((answer, i) => {
      assert.ok(answer.id === i && answer.error === undefined, `${calls[i]?.method}: ${JSON.stringify(answer.error)}`)
      return answer.result
    })
  }

  async accounts(): Promise<readonly string[]> {
    return (await this.call('eth_accounts')) as readonly string[]
  }

  async submit(transaction: TransactionRequest): Promise<string> {
    return (await this.call('eth_sendTransaction', transaction)) as string
  }

  async mine(blocks: number): Promise<void> {
    await this.call('anvil_mine', `0x${blocks.toString(16)}`)
  }

  async replace(blocks: number, included: readonly (readonly [hash: string, place: number])[]): Promise<void> {
    const raw = included.map(async ([hash, place]) => [await this.call('eth_getRawTransactionByHash', hash), place])
    await this.call('anvil_reorg', blocks, await Promise.all(raw))
  }

  async stop(): Promise<void> {
    await endChild(this.child)
    this.removeHome()
  }
}

function absence(): string | false {
  if (parent === null) return absenceOf(PACKAGE)
  return binary === null ? `npm ${PACKAGE} has no binary for ${process.platform} on ${process.arch}` : false
}

/** What finds the packages that the package depends on; null where it is not installed. */
function findPackage(): NodeJS.Require | null {
  const require = createRequire(import.meta.url)
  try {
    return createRequire(require.resolve('@foundry-rs/anvil/package.json'))
  } catch {
    return null
  }
}

/** Each platform has its binary in a package of its own. */
function findBinary(parent: NodeJS.Require): string | null {
  const machine = `${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`
  try {
    const directory = join(parent.resolve(`${PACKAGE}-${machine}/package.json`), '..')
    const path = join(directory, 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil')
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}
