/** A request as its client sent it, of which a diagnosis asks what its signature covers. */
export interface SentRequest {
  /** The first line that the service expects: the endpoint's method and pattern. */
  readonly tag: string
  /** The first lines of all endpoints. */
  readonly tags: readonly string[]
  readonly method: string
  /** With its query, if it has one. */
  readonly path: string
  readonly body: Buffer
  /** The three headers as sent. */
  readonly apiKey: string
  readonly timestamp: string
  readonly signature: string
}

/** What a signature is made from, or how it is sent. */
export type Part = 'first line' | 'timestamp' | 'body' | 'layout' | 'digest' | 'signature' | 'key'

/** One way to make a part of the signed text differently from the service. */
export interface Mistake<T> {
  /** What the client did, one sentence. */
  readonly text: string
  /** It is searched only by itself, as it has very many variants. */
  readonly isAlone?: boolean
  /** What the client then signed in place of the part; empty where it can be nothing else. */
  variants(request: SentRequest): readonly T[]
}
