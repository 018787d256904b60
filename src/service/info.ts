import type { Settings } from '../config.js'
import type { LedgerInfo, ServiceInfo } from '../http/routes/info.js'
import { parseFollowedContracts } from '../ledger/followed-contracts.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { VERSION } from '../version.js'
import { catalogueOf } from './catalogue.js'

export function infoOf(settings: Settings, sandbox: Pick<Sandbox, 'describe'> | null): ServiceInfo {
  const { strict, unsigned } = settings
  return {
    version: VERSION,
    strict,
    unsigned: strict ? 'off' : unsigned,
    networks: catalogueOf(settings).map(({ id, name, symbol, token, claim, testnet }) => {
      const { contract, decimals } = token
      return { id, name, symbol, token: contract, decimals, claim, testnet }
    }),
    ledger: sandbox === null ? ledgerOf(settings) : simulatedLedger(sandbox),
  }
}

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
