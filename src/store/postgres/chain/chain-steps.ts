import type { DepositAside } from '../../../domain/aside.js'
import { type ChainStep, sightingsOf } from '../../../domain/block.js'
import type { Network } from '../../../domain/network.js'
import type { StepAside } from '../../commands.js'
import { answeredLater } from '../../rules/asking.js'
import { type TakenStep, takeStep as taking } from '../../rules/chain-step.js'
import type { BlockFacts, ChainWork } from '../../rules/chain-work.js'
import type { DepositJudge } from '../../rules/judge-report.js'
import { addressesOf, heldBy } from '../../rules/step-scope.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { DepositMemo, type KnownDeposit } from '../deposits/deposit-memo.js'
import { DepositRecording } from '../deposits/recording.js'
import { settleDeposits } from '../deposits/settle-deposits.js'
import { expireDue } from '../invoices/settle.js'
import { lockAddresses } from '../wallets/wallet-rows.js'
import { asideOf, depositsAsideOf, findBlockAside, putDepositAside } from './aside-rows.js'
import { type Ask, blocksAbove, blocksAt } from './block-rows.js'
import { blocksOf, Holders } from './holders.js'

/*
 * The steps of the watchers, in PostgreSQL: the facts and effects of `rules/chain-step.ts`.
 */

/** Takes a step in a unit of work of its own; null when it has only settled a piece of what the step meets. */
export async function takeStep(
  work: Work,
  step: ChainStep,
  judge: DepositJudge,
  aside: StepAside | undefined,
): Promise<TakenStep | null> {
  await lockStep(work, step, judge)
  await work.readClock()
  await expireDue(work)
  const { network } = step
  const held = await answeredLater(heldBy(factsFrom(askIn(work), network), step))
  const memo = new DepositMemo(work)
  const [holders, known] = await Promise.all([
    Holders.read(work, network, [...sightingsOf(step), ...held]),
    depositsAsideOf(work, network),
    memo.prepare(judge.soundOf(sightingsOf(step))),
  ])
  const recording = new DepositRecording(judge, work, memo)
  const chain = workOn({ work, network, judge, memo, holders, known, recording })
  return answeredLater(taking(chain, step, aside))
}

/** Locks the chain of a step and the addresses that it is about. */
async function lockStep(work: Work, step: ChainStep, judge: DepositJudge): Promise<void> {
  const { network } = step
  work.write(sql`INSERT INTO chains (network, bound) VALUES (${network}, 0) ON CONFLICT DO NOTHING`)
  work.lock(sql`SELECT network FROM chains WHERE network = ${network} FOR UPDATE`)
  const addresses = await answeredLater(addressesOf(factsFrom(askIn(work), network), step, judge))
  lockAddresses(
    work,
    addresses.map((toAddress) => ({ network, toAddress })),
  )
}

/** Whether a block may have such a height: what is no number of the database finds nothing. */
function isHeight(height: number): boolean {
  return Number.isSafeInteger(height) && height >= 0
}

function askIn(work: Work): Ask {
  return (fragment) => work.rows(fragment)
}

export function factsFrom(ask: Ask, network: Network): BlockFacts {
  return {
    blocksAt: (heights) => blocksAt(ask, network, heights.filter(isHeight)),
    blocksAbove: (height) => blocksAbove(ask, network, height),
    blockAside: (height) => findBlockAside(ask, network, height),
    async addressesOf(names) {
      const known = await ask<{ to_address: string }>(sql`
        SELECT d.to_address FROM deposits AS d JOIN unnest(
          ${names.map(({ txHash }) => txHash)}::text[], ${names.map(({ index }) => index)}::bigint[]
        ) AS named (tx_hash, index) ON d.tx_hash = named.tx_hash AND d.index = named.index
        WHERE d.network = ${network}`)
      return known.map(({ to_address }) => to_address)
    },
  }
}

/** A step in a unit of work that has locked its chain and its addresses. */
interface Locked {
  readonly work: Work
  readonly network: Network
  readonly judge: DepositJudge
  readonly memo: DepositMemo
  readonly holders: Holders
  /** What is aside of the network. */
  readonly known: readonly DepositAside[]
  readonly recording: DepositRecording
}

function workOn({ work, network, judge, memo, holders, known, recording }: Locked): ChainWork<KnownDeposit> {
  return {
    nowMs: work.nowMs,
    facts: factsFrom(askIn(work), network),
    blocks: blocksOf(work, network, holders),
    aside: {
      ...asideOf(work, network, known),
      putDeposit(aside) {
        recording.keepAside(aside.sighting)
        return putDepositAside(work, aside)
      },
    },
    deposits: {
      judge,
      settle: (sightings) => settleDeposits(work, memo, judge, sightings),
      find: ({ txHash, index }) => memo.deposit({ network, txHash, index }),
      record: (report, sighting) => recording.record({ type: 'deposit', report, sighting }),
      finish: () => recording.finish(),
    },
  }
}
