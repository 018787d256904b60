import { readFileSync } from 'node:fs'

/** Connections held at once, where there are descriptors for them. */
const CONNECTION_LIMIT = 16_384
/** What one client address may have of them: twice what a busy merchant or a benchmark opens. */
const CLIENT_SHARE = 1 / 8
/** What one client address may have all the same where connections are few, … */
const CLIENT_CONNECTIONS_MIN = 64
/** … but no larger part of them. */
const CLIENT_PART_MAX = 1 / 4
/** For the database, the threads, the logs, nodes and ledgers: a service at rest has some 30 descriptors open. */
const RESERVED_DESCRIPTORS = 96
/** What webhooks may have at most of the others. */
const WEBHOOK_PART = 1 / 4

/** What the process may have open at once. */
export interface DescriptorPlan {
  readonly connections: number
  readonly connectionsPerClient: number
  readonly webhooks: number
  /** True when there are fewer than the service would use. */
  readonly isShort: boolean
  /** The process's limit; null where it is not known. */
  readonly descriptors: number | null
}

/**
 * Shares out the descriptors that the process may have, so that it never runs out of them: an engine that cannot accept a
 * connection for want of one tries again at once, for ever, and does nothing else.
 */
export function planDescriptors(
  wantedWebhooks: number,
  descriptors: number | null = descriptorLimit(),
): DescriptorPlan {
  const free = Math.max(0, (descriptors ?? Number.POSITIVE_INFINITY) - RESERVED_DESCRIPTORS)
  const webhooks = Math.max(1, Math.min(wantedWebhooks, Math.floor(free * WEBHOOK_PART)))
  const connections = Math.max(1, Math.min(CONNECTION_LIMIT, free - webhooks))
  return {
    connections,
    connectionsPerClient: shareOf(connections),
    webhooks,
    isShort: connections < CONNECTION_LIMIT || webhooks < wantedWebhooks,
    descriptors,
  }
}

function shareOf(connections: number): number {
  const least = Math.min(CLIENT_CONNECTIONS_MIN, connections * CLIENT_PART_MAX)
  return Math.ceil(Math.max(connections * CLIENT_SHARE, least))
}

/** Node raises the soft limit to the hard one when it starts, so what is read here is what there is. */
function descriptorLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}
