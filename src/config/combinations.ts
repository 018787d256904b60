import { canonicalAddress } from '../domain/network.js'
import type { NetworkEntry } from '../networks/catalogue/entry.js'
import { tokenOfText } from '../networks/catalogue/tokens.js'
import { settingsSchema } from './schema.js'
import { variableOf } from './setting.js'

type Name = keyof typeof settingsSchema

/** The configured values by setting, and the name under which each was given. */
export interface Configured {
  readonly values: Readonly<Record<string, unknown>>
  /** The flag or variable that the operator used; undefined for a default. */
  given(name: Name): string | undefined
}

/** Settings that the sandbox cannot be combined with, and why. */
const REAL: readonly (readonly [Name, string])[] = [
  ['ledgerUrls', 'names a real ledger, which the sandbox never uses'],
  ['ledgerStoreUrls', 'names a real ledger, which the sandbox never uses'],
  ['ledgerNodes', 'names a real ledger, which the sandbox never uses'],
  ['ledgerContracts', 'names a real ledger, which the sandbox never uses'],
  ['onboardingName', 'is for a real ledger; the sandbox has its own'],
  ['sepUrls', 'names nodes of a real network, which the sandbox simulates'],
  ['trxNileUrls', 'names nodes of a real network, which the sandbox simulates'],
]

/** The setting of a built-in network's token, and that of those beside it. */
const BESIDE = [
  ['sepToken', 'sepTokens'],
  ['trxNileToken', 'trxNileTokens'],
] as const satisfies readonly (readonly [Name, Name])[]

/** Problems of settings that are each valid but do not go together, one line each. */
export function combinationProblems({ values, given }: Configured): string[] {
  const problems: string[] = []
  if (values.sandbox === true) {
    for (const [name, why] of REAL) {
      const real = given(name)
      if (real !== undefined) problems.push(`${real} ${why}: unset it or switch the sandbox off.`)
    }
    for (const id of watchedIn(values.networkEntries)) {
      const why = 'which the sandbox simulates: leave "urls" out or switch the sandbox off.'
      problems.push(`${variable('networks')} names nodes of the real network ${id}, ${why}`)
    }
  }
  const need = (name: Name, needed: Name, why = '') => {
    if (given(needed) === undefined) problems.push(`${variable(name)} needs ${variable(needed)}${why}.`)
  }
  if (values.strict === true && values.sandbox !== true)
    need('strict', 'onboardingName', ", the ledger's onboarding name")
  // A malformed value already has a line of its own.
  const isRead = (name: Name) => given(name) !== undefined && values[name] !== undefined
  if (values.sandbox !== true && isRead('sandboxLedger')) problems.push(`${variable('sandboxLedger')} needs --sandbox.`)
  if (isRead('ledgerStoreUrls')) {
    need('ledgerStoreUrls', 'ledgerUrls')
    need('ledgerStoreUrls', 'ledgerFollow')
  }
  const followed: readonly string[] = Array.isArray(values.ledgerFollow) ? values.ledgerFollow : []
  if (followed.length > 0) need('ledgerFollow', 'ledgerStoreUrls')
  if (followed.some((entry) => entry.startsWith('onboard='))) need('ledgerFollow', 'onboardingName')
  if (isRead('ledgerNodes')) {
    need('ledgerNodes', 'ledgerContracts')
    need('ledgerNodes', 'onboardingName')
  }
  if (isRead('ledgerContracts')) {
    need('ledgerContracts', 'ledgerNodes')
    const told: readonly string[] = Array.isArray(values.ledgerContracts) ? values.ledgerContracts : []
    if (!isOneOfEach(told))
      problems.push(`${variable('ledgerContracts')} must name one onboard and one assign contract of one namespace.`)
  }
  if (isRead('tlsCert')) need('tlsCert', 'tlsKey')
  if (isRead('tlsKey')) need('tlsKey', 'tlsCert')
  if (isRead('backupDir') && values.store !== 'lmdb') {
    problems.push(`${variable('backupDir')} is for the data directory: back up the database with its own tools.`)
  }
  for (const name of ['backupEvery', 'backupKeep'] as const) if (isRead(name)) need(name, 'backupDir')
  for (const name of ['consolePassword', 'consoleHosts'] as const) if (isRead(name)) need(name, 'metricsPort')
  if (isRead('pageLogo')) need('pageLogo', 'pageName', ', for payers who do not see it')
  if (isRead('pageReturnUrl')) need('pageReturnUrl', 'pageName', ', for the words of the link')
  if (isRead('rates') && isPushed(values.rates)) need('rates', 'gatewaySecrets', ', with which pushes are signed')
  if (isRead('sepUrls')) need('sepUrls', 'sepToken')
  if (isRead('trxNileUrls')) need('trxNileUrls', 'trxNileToken')
  for (const [token, tokens] of BESIDE) {
    const contract = values[token]
    if (typeof contract === 'string' && isNamedIn(values[tokens], contract)) {
      problems.push(`${variable(tokens)} has the contract of ${variable(token)}, and a contract is one token.`)
    }
  }
  return problems
}

function variable(name: Name): string {
  return variableOf(name, settingsSchema[name].about)
}

function isPushed(rates: unknown): boolean {
  return typeof rates === 'object' && rates !== null && 'kind' in rates && rates.kind === 'push'
}

/** The ids of the networks of the operator's file that have nodes. */
function watchedIn(entries: unknown): readonly string[] {
  if (!Array.isArray(entries)) return []
  return (entries as readonly NetworkEntry[]).filter(({ urls }) => urls.length > 0).map(({ id }) => id)
}

function isNamedIn(tokens: unknown, contract: string): boolean {
  const texts: readonly unknown[] = Array.isArray(tokens) ? tokens : []
  const contracts = texts.map((text) => (typeof text === 'string' ? (tokenOfText(text)?.contract ?? '') : ''))
  return contracts.some((one) => canonicalAddress(one) === canonicalAddress(contract))
}

/** Whether the entries, `<role>=<namespace>/<contract>`, are two, of both roles and of one namespace. */
function isOneOfEach(entries: readonly string[]): boolean {
  const [roles, namespaces] = [/^\w+/, /=([^/]+)/].map((part) => new Set(entries.map((one) => part.exec(one)?.at(-1))))
  return entries.length === 2 && roles?.size === 2 && namespaces?.size === 1
}
