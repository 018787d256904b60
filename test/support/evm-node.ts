import assert from 'node:assert/strict'

/** A transaction of one of a node's accounts, before it has a number. Quantities are hexadecimal, as in JSON-RPC. */
export interface TransactionRequest {
  readonly from: string
  /** Absent to create a contract. */
  readonly to?: string
  readonly value: string
  readonly gas: string
  readonly gasPrice: string
  readonly data: string
  /** The type of EIP-2718; the oldest one when absent. */
  readonly type?: string
}

/** An Ethereum node that the tests start, whatever its implementation. Blocks come when a test asks for them. */
export interface EvmNode {
  readonly url: string
  /** Calls a method of the node; a node's error is thrown. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** The accounts that it has transactions of, each with plenty of ether. */
  accounts(): Promise<readonly string[]>
  /** Submits a transaction for the next block and returns its hash. */
  submit(transaction: TransactionRequest): Promise<string>
  /** Mines a block of all transactions that wait, and empty ones behind it. */
  mine(blocks: number): Promise<void>
  /**
   * Replaces the newest blocks by as many others. Each pair is the hash of a transaction that was submitted, and the place
   * of the new block that includes it.
   */
  replace(blocks: number, included: readonly (readonly [hash: string, place: number])[]): Promise<void>
  stop(): Promise<void>
}

/** Calls a method by JSON-RPC; a node's error is thrown. */
export async function askNode(
  url: string,
  method: string,
  params: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  assert.equal(response.status, 200, `${method}: ${text}`)
  const { result, error } = JSON.parse(text) as { result?: unknown; error?: unknown }
  assert.ok(error === undefined, `${method}: ${JSON.stringify(error)}`)
  return result
}
