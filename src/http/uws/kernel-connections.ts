import { readFile } from 'node:fs/promises'
import { endianness } from 'node:os'
import { peerAddress } from '../front.js'

/** The connections in this network namespace: IPv4, and IPv6 including mapped IPv4. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']

/** States in which a process still holds the descriptor: ESTABLISHED and CLOSE_WAIT. */
const HELD_STATES: ReadonlySet<string> = new Set(['01', '08'])

const isLittleEndian = endianness() === 'LE'

/** The number of connections that each peer has to a port of this machine; null if the kernel has no such table. */
export async function connectionsTo(
  port: number,
  tables: readonly string[] = TABLES,
): Promise<Map<string, number> | null> {
  const texts = await Promise.all(tables.map((table) => readFile(table, 'latin1').catch(() => null)))
  if (texts.every((text) => text === null)) return null
  const counts = new Map<string, number>()
  for (const text of texts) countPeers(text ?? '', port, counts)
  return new Map([...counts].map(([hex, count]) => [addressOf(hex), count]))
}

/** `sl local_address rem_address st …`, addresses as hex words and a port. */
function countPeers(table: string, port: number, counts: Map<string, number>): void {
  const localEnd = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const line of table.split('\n')) {
    const [, local = '', remote = '', state = ''] = line.trim().split(' ')
    if (!local.endsWith(localEnd) || !HELD_STATES.has(state)) continue
    const address = remote.slice(0, remote.indexOf(':'))
    counts.set(address, (counts.get(address) ?? 0) + 1)
  }
}

/** The kernel writes words of 32 bits in the byte order of the machine. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  if (isLittleEndian) bytes.swap32()
  if (bytes.length === 4) return peerAddress([...bytes].join('.'))
  const groups = Array.from({ length: bytes.length / 2 }, (_, n) => bytes.readUInt16BE(2 * n).toString(16))
  return peerAddress(groups.join(':'))
}
