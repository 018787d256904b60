import { flawOfContractId, judgeContract, titleOf } from './contract-check.js'
import type { FollowedContract } from './followed-contracts.js'
import type { LedgerFinding } from './ledger-finding.js'
import { LedgerNodes } from './ledger-nodes.js'
import { NodeHttp } from './node-http.js'
import { TRANSACTION_LIMIT_BYTES } from './read-apis.js'

/** The ledger as it is configured. */
export interface ConfiguredLedger {
  readonly urls: readonly string[]
  readonly storeUrls: readonly string[]
  readonly timeoutMs: number
  /** Contracts that are followed, and those that clients are told to use. */
  readonly followed: readonly FollowedContract[]
  readonly told: readonly FollowedContract[]
}

const EXCHANGE = 'Exchange the two settings BILLHOOK_LEDGER_URL and BILLHOOK_LEDGER_STORE_URL.'
const CHECK_ADDRESS = 'Check the address, the firewall, and that the node runs.'

/** Asks every store, every read API, and these for every contract, each within the time-out. Reads only, and never rejects. */
export async function checkLedger(ledger: ConfiguredLedger): Promise<readonly LedgerFinding[]> {
  const { urls, storeUrls, followed, told } = ledger
  const contracts = [...new Map([...followed, ...told].map((one) => [titleOf(one), one])).values()]
  const findings = await Promise.all([
    ...urls.map(async (url) => [await checkNode(url, 'read API', ledger)]),
    ...storeUrls.map(async (url) => [await checkNode(url, 'store', ledger)]),
    ...(urls.length === 0 ? [] : contracts.map((contract) => checkContract(contract, ledger))),
  ])
  return [...findings.flat(), ...untold(ledger)]
}

/** Whether a node is of the kind that its setting says. */
async function checkNode(
  url: string,
  kind: 'read API' | 'store',
  { timeoutMs }: ConfiguredLedger,
): Promise<LedgerFinding> {
  const node = new LedgerNodes({ storeUrls: [url], urls: [url], timeoutMs })
  try {
    const [listing, silent] = await Promise.all([node.umids(0, 1), node.silentReadApis()])
    const lists = listing.kind === 'rows'
    const reads = silent.length === 0
    if (kind === 'store' && lists && listing.rows.length === 0) {
      return { verdict: 'warning', text: `The store ${url} answers, and lists no transaction.`, advice: null }
    }
    if (kind === 'store' ? lists : reads) return { verdict: 'ok', text: `The ${kind} ${url} answers.`, advice: null }
    if (kind === 'store' ? reads : lists) {
      const other = kind === 'store' ? 'a read API, not a store' : 'a store, not a read API'
      return { verdict: 'failed', text: `${url} is ${other}.`, advice: EXCHANGE }
    }
    const why = kind === 'store' && listing.kind === 'unclear' ? listing.why : silent[0]?.why
    return { verdict: 'failed', text: `${url} does not answer as a ${kind}: ${why}.`, advice: CHECK_ADDRESS }
  } finally {
    await node.close()
  }
}

async function checkContract(contract: FollowedContract, ledger: ConfiguredLedger): Promise<readonly LedgerFinding[]> {
  const flaw = flawOfContractId(contract)
  if (flaw !== null) {
    const { role, namespace } = contract
    const hasId = [...ledger.followed, ...ledger.told].some(
      (one) => one.role === role && one.namespace === namespace && flawOfContractId(one) === null,
    )
    // A label beside the id of the contract is meant for clients that use it.
    const verdict = hasId && ledger.followed.includes(contract) ? 'warning' : 'failed'
    return [{ ...flaw, verdict, text: `${titleOf(contract)} cannot be proved: ${flaw.text}.` }]
  }
  const http = new NodeHttp(ledger.timeoutMs)
  try {
    const path = `/api/stream/${contract.contract}`
    const answers = ledger.urls.map(async (node) => ({
      node,
      answer: await http.get(node, path, TRANSACTION_LIMIT_BYTES),
    }))
    return judgeContract(contract, await Promise.all(answers))
  } finally {
    await http.close()
  }
}

/** Contracts that clients are told to use and that nobody follows, where a ledger is followed. */
function untold({ storeUrls, followed, told }: ConfiguredLedger): readonly LedgerFinding[] {
  if (storeUrls.length === 0) return []
  const known = new Set(followed.map(titleOf))
  return told
    .filter((one) => !known.has(titleOf(one)))
    .map((one) => ({
      verdict: 'warning',
      text: `Clients are told to use ${titleOf(one)}, which is not followed.`,
      advice: 'Name it in BILLHOOK_LEDGER_FOLLOW, or let a gateway push what it does.',
    }))
}
