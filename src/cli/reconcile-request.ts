import type { Flags, FlagValues } from '../config/flags.js'
import { isNetwork, NETWORKS, type Network } from '../domain/network.js'

/** The arguments of `billhook reconcile`. */
export interface ReconcileRequest {
  readonly network: Network
  /** The first and the last height. */
  readonly from: number
  readonly to: number
  /** Whether differences are repaired. */
  readonly isApplied: boolean
  /** Whether to forget which blocks were read: the service then starts again at its configured start. */
  readonly isForgotten: boolean
}

const VALUES = ['--network', '--from', '--to'] as const
const HEIGHT = /^(0|[1-9]\d{0,14})$/

/** The flags of the command's own. */
export const RECONCILE_FLAGS: Flags = {
  '--network': 'value',
  '--from': 'value',
  '--to': 'value',
  '--apply': 'switch',
  '--forget': 'switch',
}

/** The request, or null; every problem with it is added to `problems`, one line each. */
export function readReconcileRequest(flags: FlagValues, problems: string[]): ReconcileRequest | null {
  for (const flag of VALUES) {
    if (!flags.has(flag) && !problems.includes(`${flag} needs a value.`)) problems.push(`reconcile needs ${flag}.`)
  }
  const network = flags.get('--network')
  if (network !== undefined && !isNetwork(network)) {
    problems.push(`--network must be one of ${NETWORKS.join(', ')}, not ${JSON.stringify(network)}.`)
  }
  const [from, to] = ['--from', '--to'].map((flag) => {
    const text = flags.get(flag)
    if (text !== undefined && HEIGHT.test(text)) return Number(text)
    if (text !== undefined) problems.push(`${flag} must be the height of a block, not ${JSON.stringify(text)}.`)
    return undefined
  })
  if (from !== undefined && to !== undefined && from > to) problems.push('--from must not be above --to.')
  const [isApplied, isForgotten] = [flags.has('--apply'), flags.has('--forget')]
  if (isForgotten && !isApplied) problems.push('--forget needs --apply.')
  if (problems.length > 0 || !isNetwork(network) || from === undefined || to === undefined) return null
  return { network, from, to, isApplied, isForgotten }
}
