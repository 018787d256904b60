import { isObject } from '../base/json-object.js'
import { isStreamId, truncate } from '../domain/text.js'
import type { FollowedContract } from './followed-contracts.js'
import type { LedgerFinding } from './ledger-finding.js'
import type { NodeAnswer } from './node-http.js'

/** Characters that are shown of a name that anyone may have chosen. */
const SHOWN_MAX = 60
/** Versions that are named. */
const VERSIONS_MAX = 10

/** What a read API answered about the stream of a contract. */
export interface ContractAnswer {
  /** The base address of the read API. */
  readonly node: string
  readonly answer: NodeAnswer
}

/** What is wrong with the text that is configured for a contract; null for the id of a stream. */
export function flawOfContractId({ contract }: FollowedContract): Omit<LedgerFinding, 'verdict'> | null {
  if (isStreamId(contract)) return null
  if (isStreamId(contract.toLowerCase())) {
    return { text: 'its id has upper-case letters', advice: 'Ids of contracts are 64 lower-case hex digits.' }
  }
  return {
    text: 'it is not the id of a contract, but a name or a label, so no transaction that names the id counts',
    advice: 'Name the id of the contract, 64 lower-case hex digits; a label can be named beside it.',
  }
}

/** Judges a contract whose id is well formed by what all read APIs answered about its stream. */
export function judgeContract(
  contract: FollowedContract,
  answers: readonly ContractAnswer[],
): readonly LedgerFinding[] {
  const name = titleOf(contract)
  const having = answers.filter(({ answer }) => answer.kind === 'found')
  const lacking = answers.filter(({ answer }) => answer.kind === 'missing')
  const [first] = having
  if (first === undefined || first.answer.kind !== 'found') {
    if (answers.some(({ answer }) => answer.kind === 'too-long')) {
      return [{ verdict: 'ok', text: `${name} exists; its stream is too long to be read.`, advice: null }]
    }
    if (lacking.length === 0) {
      const text = `${name} could not be proved: no read API answers.`
      return [{ verdict: 'warning', text, advice: null }]
    }
    const text = `${name} does not exist: no read API that answers has its stream.`
    return [{ verdict: 'failed', text, advice: 'Correct the id: nothing is followed under this one.' }]
  }
  const partial = lacking.map(({ node }): LedgerFinding => {
    const text = `${node} does not have ${name}, which other read APIs have.`
    return { verdict: 'failed', text, advice: 'Its database is incomplete: repair the node, or do not name it.' }
  })
  return [judgeStream(contract, first.answer.value['stream']), ...partial]
}

function judgeStream(contract: FollowedContract, stream: unknown): LedgerFinding {
  const title = titleOf(contract)
  if (!isObject(stream) || !isObject(stream['contract'])) {
    const text = `${title} is a stream of the ledger and not a contract.`
    return { verdict: 'failed', text, advice: 'Name the id of the contract.' }
  }
  const { name, namespace } = stream
  if (namespace !== contract.namespace) {
    const isOfCase = typeof namespace === 'string' && namespace.toLowerCase() === contract.namespace.toLowerCase()
    const what = isOfCase ? 'The case of letters counts' : 'Transactions of another namespace do not count'
    const text = `${title} is of the namespace ${shown(namespace)}.`
    return { verdict: 'failed', text, advice: `${what}: correct the namespace.` }
  }
  const versions = Object.keys(stream['contract'])
  if (versions.length === 0) {
    return { verdict: 'failed', text: `${title} has no version that nodes could run.`, advice: 'Deploy the contract.' }
  }
  const named = versions.slice(-VERSIONS_MAX).map(shownText).join(', ')
  const text = `${title} is the contract ${shown(name)}, with ${versions.length === 1 ? 'version' : 'versions'} ${named}.`
  return { verdict: 'ok', text, advice: null }
}

/** A contract as it is configured. */
export function titleOf({ role, namespace, contract }: FollowedContract): string {
  return `${role}=${namespace}/${contract}`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(shownText(value)) : 'that it does not tell'
}

function shownText(text: string): string {
  return truncate(text, SHOWN_MAX)
}
