/** What a sender is asked for, and what it answers. */
export interface SenderTask {
  readonly url: string
  /** A request file; each of its requests is sent once. */
  readonly requests: string
  readonly connections: number
  /** Requests that become due in a second; null sends on each connection as soon as it is answered. */
  readonly perSecond: number | null
  /** Seconds at the beginning whose latencies do not count. */
  readonly warmUpSeconds: number
  /** The one status that every answer must have. */
  readonly status: number
  /** Whether to tell when each request was answered. */
  readonly tellTimes?: boolean
}

export interface SenderReport {
  /** Of the time when each request became due until its answer, in ms. */
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly p999: number
  /** Answers that count. */
  readonly answers: number
  /** From the first request to the last answer. */
  readonly seconds: number
  /** By request, in ms of the machine's clock; empty unless asked for. */
  readonly answeredAt: readonly number[]
}
