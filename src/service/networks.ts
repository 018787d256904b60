import type { Settings } from '../config.js'
import { NETWORKS, type Network } from '../domain/network.js'
import { ChainWatcher, type ChainWatcherOptions } from '../networks/chain-watcher.js'
import { ETHEREUM_HEAD_AGE_MAX_MS, EthereumNode } from '../networks/ethereum/node.js'
import { type NetworkReader, WrongNode } from '../networks/network-reader.js'
import { NodesReader } from '../networks/node/nodes-reader.js'
import { accountOfAddress } from '../networks/tron/address.js'
import { TRON_HEAD_AGE_MAX_MS, TronNode } from '../networks/tron/node.js'
import { systemScheduler } from '../scheduler.js'
import { StartError } from '../start-error.js'
import type { Core, CoreContext } from './core.js'

/** Maximum size of one answer of a node, in bytes. The largest are the logs of a range of blocks. */
const ANSWER_LIMIT_BYTES = 32 * 1024 * 1024
const API_KEY_HEADER = 'TRON-PRO-API-KEY'
/** Without a new block for this time, the last one is read again: a block of the same height may have replaced it. */
const TIP_CHECK_MS = 15_000

/** What the reader of a configured network is built from. */
type ReaderParts = Pick<CoreContext, 'settings' | 'clock' | 'log'>

/** Starts a watcher for each network that has endpoints, all at once: a slow node delays the start of no other network. */
export async function startWatchers(
  { store, intake }: Core,
  { settings, clock, log, shutdown }: CoreContext,
): Promise<readonly ChainWatcher[]> {
  const watchers: ChainWatcher[] = []
  for (const network of NETWORKS) {
    const reader = READERS[network]({ settings, clock, log })
    if (reader === null) continue
    const { start, pollMs } = pollingOf(network, settings)
    const watcher = new ChainWatcher({
      reader,
      chain: store.chain,
      intake,
      clock,
      log,
      scheduler: systemScheduler,
      random: Math.random,
      start,
      pollMs,
      tipCheckMs: Math.max(TIP_CHECK_MS, pollMs),
    })
    shutdown.add(`watcher of ${reader.network}`, () => watcher.stop())
    watchers.push(watcher)
  }
  const starts = await Promise.allSettled(watchers.map(startOrExplain))
  const failed = starts.find((start) => start.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return watchers
}

function pollingOf(network: Network, settings: Settings): Pick<ChainWatcherOptions, 'start' | 'pollMs'> {
  return {
    SEP: { start: settings.sepStart, pollMs: settings.sepPollMs },
    'TRX-NILE': { start: settings.trxNileStart, pollMs: settings.trxNilePollMs },
  }[network]
}

async function startOrExplain(watcher: ChainWatcher): Promise<void> {
  try {
    await watcher.start()
  } catch (error) {
    if (error instanceof WrongNode) throw new StartError(`${watcher.network} cannot be watched: ${error.message}`)
    throw error
  }
}

/** Builds the reader of a network; null if it has no endpoints. */
export const READERS: Readonly<Record<Network, (parts: ReaderParts) => NetworkReader | null>> = {
  SEP: sepReader,
  'TRX-NILE': trxNileReader,
}

function sepReader(parts: ReaderParts): NetworkReader | null {
  const { sepUrls, sepToken, sepTokenDecimals, sepChainId, sepConfirmations, sepBatch, sepRange } = parts.settings
  if (sepUrls.length === 0 || sepToken === undefined) return null
  const options = {
    chainId: sepChainId,
    token: sepToken,
    tokenDecimals: sepTokenDecimals,
    confirmation: sepConfirmations,
    batchMax: sepBatch,
    rangeMax: sepRange,
  }
  return new NodesReader({
    ...commonOptions(parts),
    network: 'SEP',
    addresses: sepUrls.map((url) => ({ url })),
    nodeOf: (http) => new EthereumNode(http, options),
    headAgeMaxMs: ETHEREUM_HEAD_AGE_MAX_MS,
  })
}

function trxNileReader(parts: ReaderParts): NetworkReader | null {
  const { trxNileUrls, trxNileToken, trxNileTokenDecimals, trxNileApiKey, trxNileGenesis } = parts.settings
  if (trxNileUrls.length === 0 || trxNileToken === undefined) return null
  const token = accountOfAddress(trxNileToken)
  if (token === null) {
    throw new StartError('TRX-NILE cannot be watched: the check sum of BILLHOOK_TRX_NILE_TOKEN is wrong')
  }
  const options = { token, tokenDecimals: trxNileTokenDecimals, genesisId: trxNileGenesis }
  const headers = trxNileApiKey === undefined ? {} : { [API_KEY_HEADER]: trxNileApiKey }
  return new NodesReader({
    ...commonOptions(parts),
    network: 'TRX-NILE',
    addresses: trxNileUrls.map((url) => ({ url, headers })),
    nodeOf: (http) => new TronNode(http, options),
    headAgeMaxMs: TRON_HEAD_AGE_MAX_MS,
  })
}

function commonOptions({ settings, clock, log }: ReaderParts) {
  return {
    timeoutMs: settings.nodeTimeoutMs,
    answerLimitBytes: ANSWER_LIMIT_BYTES,
    clock,
    scheduler: systemScheduler,
    random: Math.random,
    log,
  }
}
