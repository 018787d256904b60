import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** Two tries of 2.5 s and 5 s, so that an unresponsive name server fails within the deadline of a delivery. */
const QUERY_TIMEOUT_MS = 2500
const QUERY_TRIES = 2

/** Loopback names never go to DNS (RFC 6761, 6.3). */
const LOOPBACK_NAME = /^(?:.+\.)?localhost$/
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1']

const HOSTS_FILE =
  process.platform === 'win32'
    ? `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts`
    : '/etc/hosts'

/**
 * The addresses of a host name, in the order to try them; never empty. Rejects with `HostNotFound`. `signal` cancels
 * the queries.
 */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

/** The name has no address, or its servers do not answer. `code` is the resolver's (`ENOTFOUND`, `ETIMEOUT`, …). */
export class HostNotFound extends Error {
  override readonly name = 'HostNotFound'
  constructor(readonly code: string) {
    super(`the host name did not resolve: ${code}`)
  }
}

/** The DNS queries of a resolution. */
export type DnsQueries = Pick<Resolver, 'resolve4' | 'resolve6' | 'cancel'>

/**
 * Resolves by the hosts file, then by DNS, on the event loop. `dns.lookup` would hold one of the process's few pool
 * threads for as long as a name server stays silent, so a handful of such names would stop all deliveries.
 */
export function createHostResolver(
  options: {
    /** A resolver for one name. Default: one with the machine's present name servers. */
    readonly newQueries?: () => DnsQueries
    /** The text of the hosts file. */
    readonly readHosts?: () => Promise<string>
  } = {},
): ResolveHost {
  const newQueries = options.newQueries ?? (() => new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES }))
  const readHosts = options.readHosts ?? (() => readFile(HOSTS_FILE, 'utf8'))
  return async (hostname, signal) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (LOOPBACK_NAME.test(name)) return LOOPBACK_ADDRESSES
    const listed = addressesInHosts(await readHosts().catch(() => ''), name)
    if (listed.length > 0) return listed
    return await askDns(newQueries(), hostname, signal)
  }
}

async function askDns(queries: DnsQueries, hostname: string, signal: AbortSignal): Promise<readonly string[]> {
  const cancel = () => queries.cancel()
  if (signal.aborted) throw new HostNotFound('ECANCELLED')
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const [v4, v6] = await Promise.allSettled([queries.resolve4(hostname), queries.resolve6(hostname)])
    const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length === 0) throw new HostNotFound(codeOf(v4))
    return found
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function codeOf(answer: PromiseSettledResult<unknown>): string {
  const reason: unknown = answer.status === 'rejected' ? answer.reason : undefined
  const code = reason instanceof Error && 'code' in reason ? reason.code : undefined
  return typeof code === 'string' ? code : 'ENODATA'
}

/** The addresses of a name in lines `address name name…` (hosts(5)). */
function addressesInHosts(text: string, name: string): readonly string[] {
  const found: string[] = []
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) !== 0 && names.some((one) => one.toLowerCase() === name)) found.push(address)
  }
  return found
}
