import type { BlockHead } from '../../domain/block.js'
import type { ChainHead } from '../network-reader.js'
import { NodeFailure } from '../node/answer.js'
import { ageOf, factOf, headFact, type NodeFact } from '../node/node-fact.js'
import type { TokenCheck, TokenChecks } from '../token-checks.js'
import type { TronBlock } from './block.js'
import type { BlockReader } from './block-reader.js'
import { callsIn, newestWithCalls } from './block-with-calls.js'
import { type InfoReader, NO_HISTORY, type Reading } from './info-reader.js'
import type { Rung } from './ladder.js'
import type { Side } from './side.js'
import { UNCONFIRMED_MAX } from './solid-progress.js'
import type { SolidSide } from './solid-side.js'

/** Blocks that are asked for at once. */
const RANGE_BLOCKS = 20
/** How far an examination looks back for a block in which contracts ran, in blocks, and in queries. */
const LOOK_BACK_BLOCKS = 400
const LOOK_BACK_QUERIES = 30

const MORE_CALLS = 'Reading works; where calls are counted, use another node.'
const OTHER = 'Take no payments through this node: change its configuration as it says, or use another one.'

const NOT_SOLIDIFIED =
  'No payment is confirmed before its solidified blocks go on. Let it sync, look at its solidified side, or name another one.'

/** What an examination is about. */
export interface ExaminedTron {
  readonly blocks: BlockReader
  readonly infos: InfoReader
  readonly solid: SolidSide
  readonly head: ChainHead & { readonly timeMs: number }
  readonly solidHead: BlockHead
  readonly nowMs: number
  readonly headAgeMaxMs: number
  readonly tokens: Pick<TokenChecks<TokenCheck>, 'facts'>
}

/** What a node that is of the right network offers, in the order of what payments need. */
export async function examineTron(examined: ExaminedTron): Promise<readonly NodeFact[]> {
  const { tokens, head, nowMs, headAgeMaxMs } = examined
  return [
    ...(await tokens.facts('has the first block of this network')),
    headFact(head, nowMs, headAgeMaxMs),
    solidFact(examined),
    await rangeFact(examined),
    ...(await infoFacts(examined)),
  ]
}

function solidFact({ solid, solidHead, head, nowMs, headAgeMaxMs }: ExaminedTron): NodeFact {
  const how =
    solid.side === '/walletsolidity'
      ? 'gives solidified blocks by an interface of their own'
      : 'serves no /walletsolidity here: /wallet/getnodeinfo says which blocks are solidified'
  const { height, timeMs } = solidHead
  const unconfirmed = Math.max(0, head.latest - height)
  // The first block has no time.
  const age = height === 0 ? '' : ` and ${ageOf(timeMs, nowMs)}`
  const text = `${how}: the newest is block ${height}, ${unconfirmed} blocks behind its head${age}`
  const isLate = unconfirmed > UNCONFIRMED_MAX || nowMs - head.timeMs > headAgeMaxMs
  return isLate ? { verdict: 'failed', text, advice: NOT_SOLIDIFIED } : { verdict: 'ok', text }
}

async function rangeFact({ blocks, solid, head }: ExaminedTron): Promise<NodeFact> {
  const wanted = Math.min(RANGE_BLOCKS, head.confirmed + 1)
  return await factOf(
    async () => {
      const { told } = await blocks.range(solid.side, head.confirmed - wanted + 1, wanted)
      return { verdict: told === 0 ? 'warning' : 'ok', text: `gives ${told} blocks for one question` }
    },
    (reason) => {
      const meaning = 'each block is asked for by itself, so payments are seen with more calls'
      const text = `does not give ${wanted} blocks for one question, and ${meaning}: ${reason}`
      return { verdict: 'warning', text, advice: MORE_CALLS }
    },
  )
}

/** Whether infos of transactions come, of a block in which contracts ran. */
async function infoFacts(examined: ExaminedTron): Promise<readonly NodeFact[]> {
  const { blocks, solid, head } = examined
  let block: TronBlock | null
  try {
    const where = { blocks, side: solid.side, newest: head.confirmed }
    block = await newestWithCalls({ ...where, blocksMax: LOOK_BACK_BLOCKS, queriesMax: LOOK_BACK_QUERIES })
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return [{ verdict: 'failed', text: `does not give blocks, so no payment is seen: ${error.message}`, advice: OTHER }]
  }
  if (block === null) {
    const unknown = 'it is not known whether it gives the infos from which payments in tokens are read'
    const text = `has no call of a contract in its last ${LOOK_BACK_BLOCKS} blocks, as far as they were looked at: ${unknown}`
    return [{ verdict: 'warning', text, advice: 'Ask again when a contract has been called, before you take money.' }]
  }
  const facts = [await infoFact(examined, solid.side, block)]
  if (solid.side !== '/wallet') facts.push(await newInfoFact(examined, block))
  return facts
}

async function infoFact(examined: ExaminedTron, side: Side, block: TronBlock): Promise<NodeFact> {
  const attempt = attemptAt(examined, side, block)
  const what = `the transaction infos of block ${block.height}, which has calls of contracts`
  const wholly = await failureOf(attempt.wholly)
  if (wholly === null) return { verdict: 'ok', text: `returns ${what}` }
  const singly = await failureOf(attempt.singly)
  if (singly === null) {
    const meaning = 'each transaction is asked for by itself, so payments are seen with many more calls'
    return {
      verdict: 'warning',
      text: `does not return ${what}, at once, and ${meaning}: ${wholly}`,
      advice: MORE_CALLS,
    }
  }
  const reason = attempt.isNothing ? NO_HISTORY : `${wholly}; ${singly}`
  return {
    verdict: 'failed',
    text: `does not return ${what}, so it is not read, and NO payment is seen from there on: ${reason}`,
    advice: OTHER,
  }
}

/** Payments in tokens are pending before they are solidified only where the full interface gives infos, too. */
async function newInfoFact(examined: ExaminedTron, block: TronBlock): Promise<NodeFact> {
  const attempt = attemptAt(examined, '/wallet', block)
  const wholly = await failureOf(attempt.wholly)
  const singly = wholly === null ? null : await failureOf(attempt.singly)
  if (singly === null) return { verdict: 'ok', text: 'returns the transaction infos of new blocks, too' }
  const meaning = 'payments in tokens are seen when they are solidified, about a minute later'
  return {
    verdict: 'warning',
    text: `does not return the transaction infos of new blocks, so ${meaning}: ${wholly}; ${singly}`,
    advice: 'Use a node that gives them where payers wait for a sign, or leave it so.',
  }
}

function attemptAt({ infos }: ExaminedTron, side: Side, block: TronBlock): Reading {
  return infos.attempt(side, block, callsIn(block))
}

/** Why a way fails; null when it does not. */
async function failureOf({ climb }: Rung<void>): Promise<string | null> {
  try {
    await climb()
    return null
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return error.message
  }
}
