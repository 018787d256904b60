import { isNetwork, NETWORKS, type Network } from '../domain/network.js'

/** What `billhook reconcile` is asked for. */
export interface ReconcileRequest {
  readonly network: Network
  /** The first and the last height. */
  readonly from: number
  readonly to: number
  /** Whether differences are repaired too. */
  readonly isApplied: boolean
  /** Whether the service is to begin anew at the start of its settings, once the range is repaired. */
  readonly isForgotten: boolean
}

/** The request, or every problem with it, one line each; and the arguments that are settings. */
export type RequestOutcome = ({ readonly request: ReconcileRequest } | { readonly problems: readonly string[] }) & {
  readonly rest: readonly string[]
}

const FLAGS = ['--network', '--from', '--to'] as const
const APPLY = '--apply'
const FORGET = '--forget'
const HEIGHT = /^(0|[1-9]\d{0,14})$/

/** Every flag of the command's own. */
export const RECONCILE_FLAGS: readonly string[] = [...FLAGS, APPLY, FORGET]

/** Takes the flags of `reconcile` out of what follows the command. */
export function readReconcileRequest(argv: readonly string[]): RequestOutcome {
  const values = new Map<string, string>()
  const rest: string[] = []
  const problems: string[] = []
  let isApplied = false
  let isForgotten = false
  for (let at = 0; at < argv.length; at += 1) {
    const argument = argv[at] ?? ''
    const flag = FLAGS.find((name) => argument === name || argument.startsWith(`${name}=`))
    if (argument === APPLY) isApplied = true
    else if (argument === FORGET) isForgotten = true
    else if (flag === undefined) rest.push(argument)
    else if (argument !== flag) values.set(flag, argument.slice(flag.length + 1))
    else if (argv[at + 1]?.startsWith('--') === false) {
      at += 1
      values.set(flag, argv[at] ?? '')
    } else problems.push(`${flag} needs a value.`)
  }

  const network = values.get('--network')
  const [from, to] = [heightOf(values.get('--from')), heightOf(values.get('--to'))]
  for (const flag of FLAGS) {
    if (!values.has(flag) && !problems.includes(`${flag} needs a value.`)) problems.push(`reconcile needs ${flag}.`)
  }
  if (network !== undefined && !isNetwork(network)) {
    problems.push(`--network must be one of ${NETWORKS.join(', ')}, not ${JSON.stringify(network)}.`)
  }
  for (const flag of ['--from', '--to']) {
    const value = values.get(flag)
    if (value !== undefined && heightOf(value) === null) {
      problems.push(`${flag} must be the height of a block, not ${JSON.stringify(value)}.`)
    }
  }
  if (from !== null && to !== null && from > to) problems.push('--from must not be above --to.')
  if (isForgotten && !isApplied) problems.push(`${FORGET} needs ${APPLY}.`)
  if (problems.length > 0 || !isNetwork(network) || from === null || to === null) return { problems, rest }
  return { request: { network, from, to, isApplied, isForgotten }, rest }
}

function heightOf(text: string | undefined): number | null {
  return text !== undefined && HEIGHT.test(text) ? Number(text) : null
}
