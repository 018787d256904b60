import type { Settings } from '../config.js'
import { labelOf } from '../domain/amount.js'
import type { Logger } from '../log.js'
import { BlocksAside } from '../networks/blocks-aside.js'
import { contractSettingOf } from '../networks/catalogue/built-in.js'
import {
  type EntryToken,
  type EvmEntry,
  type NetworkEntry,
  QUIET_SECONDS,
  type TronEntry,
  type TronUrl,
} from '../networks/catalogue/entry.js'
import { ChainWatcher } from '../networks/chain-watcher.js'
import { EthereumNode } from '../networks/ethereum/node.js'
import { type NetworkReader, WrongNode } from '../networks/network-reader.js'
import type { EndpointAddress } from '../networks/node/http-json.js'
import { misconfiguredNode } from '../networks/node/misconfigured-node.js'
import { NodesReader } from '../networks/node/nodes-reader.js'
import { accountOfAddress } from '../networks/tron/address.js'
import { TronNode } from '../networks/tron/node.js'
import { OperatorError } from '../operator-error.js'
import { type Scheduler, systemScheduler, wakefulScheduler } from '../scheduler.js'
import { catalogueOf, isWatched } from './catalogue.js'
import type { CoreContext, WritingCore } from './core-context.js'

/** Far more than the longest block or its receipts. It ends an answer that has no end. */
const ANSWER_LIMIT_BYTES = 1024 * 1024 * 1024
const MS_PER_SECOND = 1000
const API_KEY_HEADER = 'TRON-PRO-API-KEY'
/** Without a new block for this time, the last one is read again: a block of the same height may have replaced it. */
const TIP_CHECK_MS = 15_000

/** What the reader of a network is built from. */
interface ReaderParts extends Pick<CoreContext, 'clock'> {
  readonly log: Logger
  readonly settings: Pick<Settings, 'nodeTimeoutMs'>
  /** How long a call waits for its turn at a node that limits the rate; minutes when absent. */
  readonly patienceMs?: number
  /** The machine's timers when absent. */
  readonly scheduler?: Scheduler
}

/**
 * Starts a watcher for each network that has endpoints. They do not wait for each other: a network with a wrong node is in that
 * state, is tried again, and the others go on. Throws `OperatorError` when that is all of them, and none was ever watched with these
 * settings.
 */
export async function startWatchers(
  { store, intake }: WritingCore,
  { settings, clock, log, shutdown }: CoreContext,
): Promise<readonly ChainWatcher[]> {
  const readers = catalogueOf(settings).flatMap((entry) => {
    const reader = readerOf(entry, { settings, clock, log })
    return reader === null ? [] : [{ entry, reader }]
  })
  const { chain, aside, invoices, deposits } = store
  const recorded = { chain, aside, invoices, deposits, intake }
  const { decimals } = store.networks
  const common = { ...recorded, decimals, clock, log, scheduler: systemScheduler, random: Math.random }
  const watchers = readers.map(({ entry, reader }) => {
    const { start, pollMs } = entry
    const watcher = new ChainWatcher({
      reader,
      ...common,
      start,
      skipAfterMs: settings.skipAfter * MS_PER_SECOND,
      pollMs,
      settings: identityOf(entry),
      tipCheckMs: Math.max(TIP_CHECK_MS, pollMs),
    })
    const blocksAside = new BlocksAside({ ...common, reader })
    shutdown.add(`watcher of ${reader.network}`, async () => {
      await Promise.all([blocksAside.stop(), watcher.stop()])
    })
    blocksAside.start()
    return watcher
  })
  await anyGoesOn(watchers)
  return watchers
}

/** Starts the watchers; resolves as soon as one of them has a right node, or one that may be right. */
async function anyGoesOn(watchers: readonly ChainWatcher[]): Promise<void> {
  const starts = watchers.map((watcher) => watcher.start())
  // What is known of the others then is in their state.
  for (const start of starts) start.catch(() => undefined)
  try {
    await Promise.any(starts)
  } catch {
    const ends = await Promise.allSettled(starts)
    const reasons = ends.map((end, i) => {
      const reason: unknown = end.status === 'rejected' ? end.reason : null
      if (!(reason instanceof WrongNode)) throw reason
      return `${watchers[i]?.network} cannot be watched: ${reason.message}`
    })
    throw new OperatorError(reasons.join('; '))
  }
}

/** Builds the reader of a network; null if it is not watched. */
export function readerOf(entry: NetworkEntry, parts: ReaderParts): NetworkReader | null {
  if (!isWatched(entry)) return null
  switch (entry.kind) {
    case 'evm':
      return evmReader(entry, parts)
    case 'tron':
      return tronReader(entry, parts)
  }
}

/** What a reader must know of a token. That of a watched network has a contract. */
function toRead({ currency, symbol, decimals, contract }: EntryToken) {
  return { label: labelOf(currency), symbol, decimals, contract: contract ?? '' }
}

function evmReader(entry: EvmEntry, parts: ReaderParts): NetworkReader {
  const options = {
    chainId: entry.chainId,
    tokens: entry.tokens.map(toRead),
    confirmation: entry.confirmations,
    batchMax: entry.batch,
    rangeMax: entry.range,
    traces: entry.traces,
    clock: parts.clock,
    warn: warningOf(entry, parts),
  }
  return new NodesReader({
    ...commonOptions(entry, parts),
    addresses: entry.urls.map((url) => ({ url })),
    nodeOf: (http) => new EthereumNode(http, options),
  })
}

function tronReader(entry: TronEntry, parts: ReaderParts): NetworkReader {
  const tokens = entry.tokens
    .map(toRead)
    .map(({ contract, ...token }) => ({ ...token, account: accountOfAddress(contract) }))
  const wrong = entry.tokens.find(({ contract }) => accountOfAddress(contract ?? '') === null)
  const { clock } = parts
  const warn = warningOf(entry, parts)
  const options = {
    tokens: tokens.map(({ account, ...token }) => ({ ...token, account: account ?? '' })),
    genesisId: entry.genesis,
    clock,
    warn,
  }
  const headers = entry.apiKey === null ? {} : { [API_KEY_HEADER]: entry.apiKey }
  return new NodesReader({
    ...commonOptions(entry, parts),
    addresses: entry.urls.map((url) => addressOf(url, headers)),
    nodeOf: (http) =>
      wrong === undefined
        ? new TronNode(http, options)
        : misconfiguredNode(`the check sum of ${contractSettingOf(entry.id, wrong)} is wrong`),
  })
}

function warningOf({ id }: NetworkEntry, { log }: ReaderParts) {
  return (endpoint: string, text: string): void => log.warn({ network: id, endpoint }, text)
}

function addressOf({ full, solidity }: TronUrl, headers: Readonly<Record<string, string>>): EndpointAddress {
  const elsewhere = solidity === null ? {} : { elsewhere: { prefix: '/walletsolidity/', url: solidity } }
  return { url: full, headers, ...elsewhere }
}

/** What the nodes of a network must be right about. When it changes, they have to show it again. */
function identityOf(entry: NetworkEntry): string {
  const chain = entry.kind === 'evm' ? entry.chainId : entry.genesis
  const tokens = entry.tokens.flatMap(({ contract, decimals }) => [contract, decimals])
  return [entry.kind, chain, ...tokens].join(' ')
}

function commonOptions(
  { id, kind, quietSeconds }: NetworkEntry,
  // Commands must not end while a node is waited for.
  { settings, clock, log, patienceMs, scheduler = wakefulScheduler }: ReaderParts,
) {
  return {
    network: id,
    headAgeMaxMs: (quietSeconds ?? QUIET_SECONDS[kind]) * MS_PER_SECOND,
    timeoutMs: settings.nodeTimeoutMs,
    answerLimitBytes: ANSWER_LIMIT_BYTES,
    clock,
    scheduler,
    random: Math.random,
    log,
    ...(patienceMs === undefined ? {} : { patienceMs }),
  }
}
