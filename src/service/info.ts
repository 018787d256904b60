import type { Settings } from '../config.js'
import { USDT } from '../domain/amount.js'
import type { LedgerInfo, NetworkInfo, ServiceInfo } from '../http/routes/info.js'
import { parseFollowedContracts } from '../ledger/followed-contracts.js'
import type { NetworkEntry } from '../networks/catalogue/entry.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { VERSION } from '../version.js'
import { catalogueOf } from './catalogue.js'

export function infoOf(settings: Settings, sandbox: Pick<Sandbox, 'describe'> | null): ServiceInfo {
  const { strict, unsigned } = settings
  return {
    version: VERSION,
    strict,
    unsigned: strict ? 'off' : unsigned,
    networks: catalogueOf(settings).map(infoOfNetwork),
    ledger: sandbox === null ? ledgerOf(settings) : simulatedLedger(sandbox),
  }
}

/** A network has a token at least. What is said of one alone is said of that which invoices in USDT are paid in, if there is one. */
function infoOfNetwork({ id, name, symbol, tokens, claim, testnet }: NetworkEntry): NetworkInfo {
  const { contract, decimals } = tokens.find(({ currency }) => currency === USDT) ?? tokens[0] ?? NO_TOKEN
  const list = tokens.map((token) => ({ symbol: token.currency, contract: token.contract, decimals: token.decimals }))
  return { id, name, symbol, token: contract, decimals, tokens: list, claim, testnet }
}

const NO_TOKEN = { contract: null, decimals: 0 } as const

/** The settings have been checked: with nodes there is one contract of each role. */
function ledgerOf({ ledgerNodes: nodes, ledgerContracts, onboardingName = '' }: Settings): LedgerInfo | null {
  const contracts = parseFollowedContracts(ledgerContracts)
  if (nodes.length === 0 || 'flaw' in contracts) return null
  const [onboard, assign] = (['onboard', 'assign'] as const).map((wanted) =>
    contracts.find(({ role }) => role === wanted),
  )
  if (onboard === undefined || assign === undefined) return null
  return {
    namespace: onboard.namespace,
    contracts: { onboard: onboard.contract, assignOwner: assign.contract },
    onboardingName,
    nodes,
  }
}

function simulatedLedger(sandbox: Pick<Sandbox, 'describe'>): LedgerInfo {
  const { namespace, contracts, onboardingName, nodeUrl } = sandbox.describe()
  const { onboard, assignOwner } = contracts
  return { namespace, contracts: { onboard, assignOwner }, onboardingName, nodes: [nodeUrl] }
}
