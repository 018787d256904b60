import { readFileSync } from 'node:fs'

/** Maximum number of connections, if there are descriptors for them. */
const CONNECTION_LIMIT = 16_384
/** The part of them that one client address may hold: twice what a busy merchant or a benchmark opens. */
const CLIENT_SHARE = 1 / 8
/** Connections that one client address may hold even if there are few, … */
const CLIENT_CONNECTIONS_MIN = 64
/** … up to this part of them. */
const CLIENT_PART_MAX = 1 / 4
/** Descriptors for the database, threads, logs, nodes and ledgers. An idle service has about 30 open. */
const RESERVED_DESCRIPTORS = 96
/** The part of the remaining descriptors that webhooks may use. */
const WEBHOOK_PART = 1 / 4

/** How the process's descriptors are shared out. */
export interface DescriptorPlan {
  readonly connections: number
  readonly connectionsPerClient: number
  readonly webhooks: number
  /** Descriptors that the process has open at most. */
  readonly open: number
  /** True if there are fewer descriptors than the service would use. */
  readonly isShort: boolean
  /** The process's limit; null if it is unknown. */
  readonly descriptors: number | null
}

/**
 * Shares out the descriptors of the process, so that it never runs out of them. An HTTP engine without a descriptor for
 * a new connection would retry at once, for ever, and do nothing else.
 */
export function planDescriptors(
  wantedWebhooks: number,
  descriptors: number | null = descriptorLimit(),
): DescriptorPlan {
  const free = Math.max(0, (descriptors ?? Number.POSITIVE_INFINITY) - RESERVED_DESCRIPTORS)
  const webhooks = Math.max(1, Math.min(wantedWebhooks, Math.floor(free * WEBHOOK_PART)))
  const connections = Math.max(1, Math.min(CONNECTION_LIMIT, free - webhooks))
  const leastShare = Math.min(CLIENT_CONNECTIONS_MIN, connections * CLIENT_PART_MAX)
  return {
    connections,
    connectionsPerClient: Math.ceil(Math.max(connections * CLIENT_SHARE, leastShare)),
    webhooks,
    open: Math.min(connections + webhooks + RESERVED_DESCRIPTORS, descriptors ?? Number.POSITIVE_INFINITY),
    isShort: connections < CONNECTION_LIMIT || webhooks < wantedWebhooks,
    descriptors,
  }
}

/** Node raises the soft limit to the hard one at start, so this is the effective limit. */
function descriptorLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}
