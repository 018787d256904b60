import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { askNode } from './evm-node.js'

const MS_PER_SECOND = 1000
const ZERO_HASH = `0x${'00'.repeat(32)}`
const ZERO_ADDRESS = `0x${'00'.repeat(20)}`
const STEP_MS = 20
const TRIES = 250

/** A block as the engine API has it. */
interface Payload {
  readonly blockHash: string
  readonly transactions: readonly string[]
}

/** The blocks that a consensus client calls the head, safe and final. */
export interface ForkChoice {
  readonly head: string
  readonly safe: string
  readonly finalized: string
}

export interface NewBlock {
  /** In seconds. */
  readonly timestamp: number
  /** 32 bytes, in which two blocks of the same time and parent differ. */
  readonly randao: string
  /** How many transactions wait for it. */
  readonly waiting: number
}

interface Status {
  readonly status: string
}

/**
 * What a consensus client does with an execution client, in the few calls that make blocks (execution-apis,
 * `engine/cancun.md`): the test decides when a block comes and on which one it is built.
 */
export class EngineApi {
  constructor(
    readonly url: string,
    /** 32 bytes that both clients know. */
    private readonly secret: Buffer,
  ) {}

  /** Makes a block on top of the head of a fork choice, and returns its hash. It is not yet the head. */
  async build(choice: ForkChoice, { timestamp, randao, waiting }: NewBlock): Promise<string> {
    const attributes = {
      timestamp: `0x${timestamp.toString(16)}`,
      prevRandao: randao,
      suggestedFeeRecipient: ZERO_ADDRESS,
      withdrawals: [],
      parentBeaconBlockRoot: ZERO_HASH,
    }
    const payload = await this.payloadWith(choice, attributes, waiting)
    const added = (await this.call('engine_newPayloadV3', payload, [], ZERO_HASH)) as Status
    assert.equal(added.status, 'VALID', JSON.stringify(added))
    return payload.blockHash
  }

  /** Makes a fork choice the present one. */
  async choose(choice: ForkChoice, attributes: object | null = null): Promise<string | null> {
    const state = { headBlockHash: choice.head, safeBlockHash: choice.safe, finalizedBlockHash: choice.finalized }
    const answer = await this.call('engine_forkchoiceUpdatedV3', state, attributes)
    const { payloadStatus, payloadId } = answer as { payloadStatus: Status; payloadId: string | null }
    assert.equal(payloadStatus.status, 'VALID', JSON.stringify(answer))
    return payloadId
  }

  /** A client takes transactions into its pool, and from there into the block, at its own pace. */
  private async payloadWith(choice: ForkChoice, attributes: object, waiting: number): Promise<Payload> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const id = await this.choose(choice, attributes)
      const { executionPayload } = (await this.call('engine_getPayloadV3', id)) as { executionPayload: Payload }
      if (executionPayload.transactions.length >= waiting) return executionPayload
      await pause(STEP_MS)
    }
    throw new Error(`the client does not include ${waiting} transactions`)
  }

  private call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return askNode(this.url, method, params, { authorization: `Bearer ${this.token()}` })
  }

  /** A JSON Web Token with HMAC-SHA256 (RFC 7519) that was issued now. */
  private token(): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iat: Math.floor(Date.now() / MS_PER_SECOND) })}`
    return `${signed}.${createHmac('sha256', this.secret).update(signed).digest('base64url')}`
  }
}
