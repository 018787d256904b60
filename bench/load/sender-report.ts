/** The task and the report of a sender process. */
export interface SenderTask {
  readonly url: string
  /** A request file; each of its requests is sent once. */
  readonly requests: string
  readonly connections: number
  /** Requests that become due per second; null: each connection sends again as soon as it is answered. */
  readonly perSecond: number | null
  /** Warm-up, in seconds, whose latencies are dropped. */
  readonly warmUpSeconds: number
  /** The one status that every answer must have. */
  readonly status: number
  /** Whether to report when each request was answered. */
  readonly tellTimes?: boolean
}

export interface SenderReport {
  /** Percentiles of the time from when a request was due to its answer, in ms. */
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly p999: number
  /** Answers that count. */
  readonly answers: number
  /** From the first request to the last answer. */
  readonly seconds: number
  /** Sent and received on all connections, without the headers of the network. */
  readonly bytes: number
  /** By request, in ms of the machine's clock; empty unless asked for. */
  readonly answeredAt: readonly number[]
}
