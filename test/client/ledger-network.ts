import assert from 'node:assert/strict'
import type { Billhook, LedgerSettings } from '@billhook/client'
import type { SandboxFixture } from '../sandbox/sandbox-fixture.js'

/** What happens to a post on its way to a node and back. */
export type Way = 'straight' | 'request lost' | 'answer lost' | 'refused' | 'no answer'

/** The simulated nodes of a sandbox behind a `fetch`. */
export class LedgerNetwork {
  /** What happens to the next posts, in order; the rest go straight. */
  readonly ways: Way[] = []
  /** Which nodes were posted to, in order. */
  readonly posted: number[] = []
  readonly settings: LedgerSettings

  constructor(
    private readonly fixture: SandboxFixture,
    name: string,
    timeoutMs = 60,
  ) {
    const { namespace, contracts, onboardingName } = fixture.sandbox.describe()
    const nodes = fixture.sandbox.ledgerNodes.map((_, node) => `http://node-${node}.${name}.example`)
    this.settings = { nodes, namespace, contracts, onboardingName, fetch: this.fetch, timeoutMs }
  }

  private readonly fetch = (async (url: string, request: RequestInit) => {
    // A connection keeps the process running; the time-outs of the platform do not.
    const connection = setInterval(() => undefined, 1000)
    try {
      return await this.send(url, request)
    } finally {
      clearInterval(connection)
    }
  }) as NonNullable<LedgerSettings['fetch']>

  private async send(url: string, { body, signal }: RequestInit): Promise<Response> {
    const node = Number(/node-(\d)/.exec(url)?.[1])
    this.posted.push(node)
    const way = this.ways.shift() ?? 'straight'
    if (way === 'refused') throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
    if (way === 'request lost') throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })
    if (way === 'no answer') return await endOf(signal)
    this.fixture.clock.advance(1)
    const target = this.fixture.sandbox.ledgerNodes[node] ?? assert.fail(`there is no node ${node}`)
    const answered = target.submit(Buffer.from(String(body)))
    const { status, value } = await Promise.race([answered, endOf(signal)])
    if (way === 'answer lost') throw new TypeError('fetch failed', { cause: { code: 'UND_ERR_SOCKET' } })
    return new Response(JSON.stringify(value), { status })
  }
}

/** Rejects when the request is given up. */
function endOf(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

/** A client that knows what the ledger has at once, as a service that follows it does after a moment. */
export function witness(
  fixture: SandboxFixture,
  owner: string,
): Pick<Billhook, 'identityExists' | 'listWallets' | 'owner'> {
  const { ledgerNode } = fixture.sandbox
  return {
    owner,
    identityExists: (id = owner) => ledgerNode.hasIdentity(id),
    listWallets: async () => {
      const { value } = await ledgerNode.stream(`${owner}:stream`)
      const { txs = [] } = (value as { stream?: { txs: readonly string[] } }).stream ?? {}
      const wallets = txs.flatMap((umid) => {
        const { value: told } = ledgerNode.transaction(umid)
        const { $o } = (told as { umid?: { $tx: { $o?: { wallet: { $stream: string } } } } }).umid?.$tx ?? {}
        return $o === undefined ? [] : [$o.wallet.$stream]
      })
      return wallets.map((id) => ({ id, address: null, network: null, assigned_at: 1 }))
    },
  }
}
