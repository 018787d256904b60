import { statSync } from 'node:fs'
import type { AddressChain } from '../crypto/extended-key.js'
import { hasPrivateKey } from '../crypto/private-text.js'
import {
  DERIVED_COUNT_MAX,
  DERIVED_INDEX_MAX,
  type DerivedOutcome,
  derivedPrefix,
  derivedWalletId,
  type ToldSeries,
} from '../domain/derived-wallet.js'
import { OWNER_FLAW, parseOwner } from '../domain/text.js'
import { type Admin, withAdmin } from './admin.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_FAILURE, EXIT_SUCCESS } from './command.js'
import { checkWholeNumber, needFlags, text, wholeNumber } from './flags.js'
import { readInput } from './input.js'
import { jsonLine, printable } from './output.js'

/** Permission bits by which others than the owner of a file may write it. */
const OTHERS_WRITE_BITS = 0o022
const MODE_BITS = 0o777
/** An extended key, and not the path of a file. */
const EXTENDED_KEY = /^[1-9A-HJ-NP-Za-km-z]{100,}$/

/** `billhook wallets derive`. */
export function deriveCommand(wallets: BillhookCommand): void {
  wallets
    .add('derive', 'Make wallets of the addresses of an extended public key, without a ledger.')
    .onData()
    .option('--xpub <file>', 'A file with the extended public key (xpub…) of an account; - is standard input.')
    .option('--network <id>', 'The network, by its id, such as ETH.')
    .option('--owner <id>', 'The identity that the wallets are assigned to. It must exist.')
    .option('--count <n>', `How many wallets, ${DERIVED_COUNT_MAX} at most.`)
    .option('--from <i>', 'The index of the first address. Default: behind the last wallet of this key on the network.')
    .asJson()
    .explain(
      "The key is that of an account (m/44'/60'/0', or m/44'/195'/0' for TRON), of which the addresses are at 0/<i>, or that of the chain itself (m/44'/60'/0'/0), of which they are at <i>. The wallets have ids of a name of the key, the network and the index: so the store knows how far the key has been used, on each network, and the key itself is not kept. Private keys are refused. With --from an index that is a wallet of the owner already stays as it is, so the command can be repeated. An address that is another wallet is refused, and the others are added. Ends with 0 when none was refused, else with 1. It leaves a record that \"billhook audit list\" shows.",
    )
    .runs((given) => withAdmin(given, (admin, io) => derive(given, admin, io)), checkDerive)
}

function checkDerive({ options }: Omit<Given, 'settings'>, problems: string[]): void {
  needFlags('derive', ['xpub', 'network', 'owner', 'count'], options, problems)
  checkWholeNumber('count', [1, DERIVED_COUNT_MAX], options, problems)
  checkWholeNumber('from', [0, DERIVED_INDEX_MAX], options, problems)
  const file = text('xpub', options) ?? ''
  // It is not repeated: it may be a private key.
  if (EXTENDED_KEY.test(file) || hasPrivateKey(file)) {
    problems.push('--xpub takes the name of a file, not a key itself, which others could see in the list of processes.')
  }
  const owner = text('owner', options)
  if (owner !== undefined && parseOwner(owner) !== owner) problems.push(`--owner: ${OWNER_FLAW}.`)
}

/** What is asked for, and by which addresses. */
interface Wanted {
  readonly chain: AddressChain
  readonly network: string
  readonly owner: string
  readonly count: number
  /** Null: behind the last one. */
  readonly from: number | null
}

async function derive(given: Given, admin: Admin, io: ProcessIo): Promise<number> {
  const { options } = given
  const chain = await chainIn(text('xpub', options) ?? '', io)
  const from = text('from', options)
  const wanted = {
    chain,
    network: text('network', options) ?? '',
    owner: text('owner', options) ?? '',
    count: wholeNumber('count', 0, options),
    from: from === undefined ? null : Number(from),
  }
  const print = printer(wanted, options['json'] === true, io)
  const isComplete = await (wanted.from === null
    ? addBehind(wanted, admin, print)
    : addFrom(wanted, wanted.from, admin, print))
  if ((await seriesOf(wanted, admin)).isReported === false) io.error(nobodyReports(wanted.network))
  if (options['json'] !== true) io.out('Compare an address with what your wallet shows before you take money on it.')
  return isComplete ? EXIT_SUCCESS : EXIT_FAILURE
}

/** The addresses are right, and a payer's money reaches them: only the service does not learn of it. */
function nobodyReports(network: string): string {
  return `Warning: nothing reports deposits of ${network} to this service, so payments to its wallets are not seen. Name nodes of the network in the settings of the service, or a gateway, before you take money there.`
}

/** The addresses of the key in a file. Throws when it holds none; what it holds is repeated nowhere. */
async function chainIn(path: string, io: ProcessIo): Promise<AddressChain> {
  const { readAddressChain } = await import('../crypto/extended-key.js')
  const chain = readAddressChain((await readInput(path)).toString('utf8'))
  const name = path === '-' ? 'standard input' : path
  if ('flaw' in chain) throw new Error(`${name} ${chain.flaw}`)
  if (path !== '-') warnOfWriters(path, io)
  return chain
}

/** Another user who replaced the key would be paid in the shop's place. */
function warnOfWriters(path: string, io: ProcessIo): void {
  const stat = statSync(path)
  if (!stat.isFile() || (stat.mode & OTHERS_WRITE_BITS) === 0) return
  const mode = (stat.mode & MODE_BITS).toString(8)
  io.error(
    `Warning: other users may write ${printable(path)} (mode ${mode}): with a key of theirs in it they are paid in your place. Give chmod 600.`,
  )
}

type Print = (first: number, addresses: readonly string[], outcomes: readonly DerivedOutcome[]) => void

/** Adds the wallets at a range of indexes. Whether none was refused. */
async function addFrom(wanted: Wanted, first: number, admin: Admin, print: Print): Promise<boolean> {
  const { kind } = await seriesOf(wanted, admin)
  const outcomes = await add(wanted, { kind, first, count: wanted.count }, admin, print)
  return !outcomes.some(({ status }) => status === 'refused')
}

/**
 * Adds as many wallets as are wanted behind the last one. What another command has added meanwhile is not counted, and goes on
 * behind that.
 */
async function addBehind(wanted: Wanted, admin: Admin, print: Print): Promise<boolean> {
  let isComplete = true
  for (let missing = wanted.count; missing > 0; ) {
    const { kind, next } = await seriesOf(wanted, admin)
    const outcomes = await add(wanted, { kind, first: next, count: missing }, admin, print)
    if (outcomes.some(({ status }) => status === 'refused')) isComplete = false
    missing = outcomes.filter(({ status }) => status === 'known').length
  }
  return isComplete
}

/** The network that is wanted, and how far the key has been used on it. */
async function seriesOf({ chain, network }: Wanted, admin: Admin): Promise<ToldSeries> {
  const { body } = await admin.call('GET', `/admin/derived-wallets/${chain.name}`)
  const { series } = body as { readonly series: readonly ToldSeries[] }
  const found = series.find((one) => one.network === network)
  if (found !== undefined) return found
  throw new Error(
    `${network} is not a network of this service, which has ${series.map((one) => one.network).join(', ')}`,
  )
}

async function add(
  { chain, network, owner }: Wanted,
  { kind, first, count }: Pick<ToldSeries, 'kind'> & { readonly first: number; readonly count: number },
  admin: Admin,
  print: Print,
): Promise<readonly DerivedOutcome[]> {
  if (first + count - 1 > DERIVED_INDEX_MAX) {
    throw new Error(
      `an extended key has addresses up to the index ${DERIVED_INDEX_MAX}: ${count} from ${first} on go beyond`,
    )
  }
  const { addressOfKey } = await import('../networks/key-address.js')
  const addresses = Array.from({ length: count }, (_, i) => addressOfKey(kind, chain.keyAt(first + i)))
  const sent = { network, owner, first, addresses }
  const { body } = await admin.call('POST', `/admin/derived-wallets/${chain.name}`, sent)
  const { outcomes } = body as { readonly outcomes: readonly DerivedOutcome[] }
  if (outcomes.length !== count) throw new Error('the service answered another number of addresses')
  print(first, addresses, outcomes)
  return outcomes
}

function printer({ chain, network, owner }: Wanted, isJson: boolean, io: ProcessIo): Print {
  const prefix = derivedPrefix(chain.name, network)
  let isFirst = true
  return (first, addresses, outcomes) => {
    if (!isJson && isFirst) io.out(['index', 'address', 'id', 'outcome'].join('\t'))
    isFirst = false
    for (const [i, outcome] of outcomes.entries()) {
      const [index, address = ''] = [first + i, addresses[i]]
      const id = derivedWalletId(prefix, index)
      if (isJson)
        io.out(jsonLine({ index, address, id, network, owner, outcome: outcome.status, error: errorOf(outcome) }))
      else io.out([index, address, id, outcome.status].join('\t'))
      if (!isJson && outcome.status === 'refused') {
        io.error(printable(`${address} (index ${index}) is REFUSED: ${outcome.error}`))
      }
    }
  }
}

function errorOf(outcome: DerivedOutcome): string | null {
  return outcome.status === 'refused' ? outcome.error : null
}
