import {
  type BlockAside,
  type DepositAside,
  mergedAside,
  type NameInNetwork,
  supersedes,
} from '../../../domain/aside.js'
import type { DepositReport, Sighting } from '../../../domain/deposit.js'
import type { Network } from '../../../domain/network.js'
import type { AsidePort } from '../../aside.js'
import type { AsideWork } from '../../rules/chain-work.js'
import type { Commit, Reader } from '../commit/commit.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { type DepositId, depositKey } from '../deposits/deposit-rows.js'
import { behindNetwork, networkKey, WIDE_BYTES, wideKey } from '../tables/keys.js'
import { fieldsOf, integer, listOf, oneOf, orNull, recordCodec, text } from '../tables/record-codec.js'
import { rowCount } from '../tables/tables.js'

/*
 * What was set aside: blocks by network and height, deposits as `deposits` names them.
 */

export const blockAsideCodec = recordCodec<Omit<BlockAside, 'network' | 'height'>>('blocks-aside', 1, {
  hash: orNull(text),
  reason: text,
  since: integer,
  failedForMs: integer,
  failedAt: integer,
  deposits: listOf(fieldsOf<NameInNetwork>({ txHash: text, index: integer })),
})

const REPORTS = ['pending', 'confirmed', 'dropped'] as const

export const depositAsideCodec = recordCodec<DepositAside>('deposits-aside', 1, {
  sighting: fieldsOf<Sighting>({
    network: text,
    txHash: text,
    index: integer,
    toAddress: text,
    currency: orNull(text),
    amount: text,
    receivedAt: integer,
  }),
  report: oneOf(REPORTS),
  height: orNull(integer),
  error: text,
  since: integer,
})

/** Reads what was set aside. */
export class LmdbAside implements AsidePort {
  constructor(private readonly commits: CommitLoop) {}

  blocks(network: Network): readonly BlockAside[] {
    return blocksAside(this.commits.snapshot, network)
  }

  deposits(): readonly DepositAside[] {
    return depositsAside(this.commits.snapshot)
  }
}

/** The blocks of a network that are set aside or waited for, lowest first. */
function blocksAside({ tables }: Reader, network: Network): readonly BlockAside[] {
  const range = { start: networkKey(network), end: behindNetwork(network) }
  return [...tables.blocksAside.getRange(range)].map(({ key, value }) => {
    return { network, height: heightOf(key), ...blockAsideCodec.decode(value) }
  })
}

export function asideOf(commit: Commit, network: Network): AsideWork {
  return {
    putBlock: (aside) => putBlockAside(commit, aside),
    endBlock: (height) => endBlockAside(commit, network, height),
    endWaiting(from, to) {
      for (const { height, hash } of blocksAside(commit, network)) {
        if (hash === null && height >= from && height <= to) endBlockAside(commit, network, height)
      }
    },
    endAbove: (height) => endAsideAbove(commit, network, height),
    forget: () => forgetAside(commit, network),
    deposits: () => depositsAsideOf(commit, network),
    deposit: ({ txHash, index }) => findDepositAside(commit, { network, txHash, index }),
    putDeposit: (aside) => putDepositAside(commit, aside),
    endDeposit({ txHash, index }) {
      commit.tables.depositsAside.removeSync(depositKey({ network, txHash, index }))
    },
  }
}

export function findBlockAside({ tables }: Reader, network: Network, height: number): BlockAside | undefined {
  const bytes = tables.blocksAside.get(blockAsideKey(network, height))
  return bytes === undefined ? undefined : { network, height, ...blockAsideCodec.decode(bytes) }
}

export function putBlockAside({ tables }: Commit, { network, height, ...row }: BlockAside): void {
  tables.blocksAside.putSync(blockAsideKey(network, height), blockAsideCodec.encode(row))
}

function endBlockAside({ tables }: Commit, network: Network, height: number): void {
  tables.blocksAside.removeSync(blockAsideKey(network, height))
}

function depositsAside({ tables }: Reader): readonly DepositAside[] {
  return [...tables.depositsAside.getRange()].map(({ value }) => depositAsideCodec.decode(value))
}

function depositsAsideOf({ tables }: Reader, network: Network): readonly DepositAside[] {
  const range = { start: networkKey(network), end: behindNetwork(network) }
  return [...tables.depositsAside.getRange(range)].map(({ value }) => depositAsideCodec.decode(value))
}

function findDepositAside({ tables }: Reader, id: DepositId): DepositAside | undefined {
  const bytes = tables.depositsAside.get(depositKey(id))
  return bytes === undefined ? undefined : depositAsideCodec.decode(bytes)
}

/** Keeps a deposit whose recording failed. Throws when there are too many of them. */
export function putDepositAside(commit: Commit, later: DepositAside): void {
  const { depositsAside: table } = commit.tables
  const known = findDepositAside(commit, later.sighting)
  table.putSync(depositKey(later.sighting), depositAsideCodec.encode(mergedAside(known, later, rowCount(table))))
}

/** A deposit was reported, and its recording did not fail. */
export function endDepositAside(commit: Commit, id: DepositId, report: DepositReport): void {
  const known = findDepositAside(commit, id)
  if (known === undefined || !supersedes(report, known.report)) return
  commit.tables.depositsAside.removeSync(depositKey(id))
}

/** What is waited for is of no branch. */
function endAsideAbove(commit: Commit, network: Network, above: number): void {
  for (const { height, hash } of blocksAside(commit, network)) {
    if (hash !== null && height > above) endBlockAside(commit, network, height)
  }
  for (const { sighting, height } of depositsOfBlocks(commit, network)) {
    if (height > above) commit.tables.depositsAside.removeSync(depositKey(sighting))
  }
}

function forgetAside(commit: Commit, network: Network): void {
  for (const { height } of blocksAside(commit, network)) endBlockAside(commit, network, height)
  for (const one of depositsOfBlocks(commit, network)) {
    commit.tables.depositsAside.putSync(depositKey(one.sighting), depositAsideCodec.encode({ ...one, height: null }))
  }
}

function depositsOfBlocks(commit: Commit, network: Network) {
  return depositsAsideOf(commit, network).flatMap((one) => {
    return one.height === null ? [] : [{ ...one, height: one.height }]
  })
}

function blockAsideKey(network: Network, height: number): Buffer {
  return Buffer.concat([networkKey(network), wideKey(height)])
}

function heightOf(key: Buffer): number {
  return key.readUIntBE(key.length - WIDE_BYTES, WIDE_BYTES)
}
