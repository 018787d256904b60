/*
 * The part of the ledger's contract interface that these contracts use, so that they can be checked without the ledger. A
 * node brings the real one.
 */

declare module '@activeledger/activecontracts' {
  /** A key that may sign for a stream. */
  interface Authority {
    readonly public: string
    readonly type: string
    /** Hex SHA-256 of the key's text. */
    readonly hash: string
  }

  interface StreamState {
    [field: string]: unknown
  }

  /** A stream of the ledger that a transaction names or creates. */
  interface Activity {
    getId(): string
    getState(): StreamState
    /** Writes the fields of `state` over those of the stream, and lists the stream as changed. */
    setState(state: StreamState): void
    getAuthorities(): readonly Authority[]
    /** Makes a key the stream's only authority. */
    setAuthority(key: string, type: string): void
    /** Only when the stream is created: no contract whose name is another text can use it. */
    setContractLock(contracts: readonly string[]): boolean
  }

  /** An entry of `$i` or `$o`. */
  interface StreamEntry {
    readonly $stream?: unknown
    readonly [field: string]: unknown
  }

  interface Transaction {
    readonly $contract: string
    readonly $entry?: unknown
    readonly $i: Readonly<Record<string, StreamEntry>>
    readonly $o?: Readonly<Record<string, StreamEntry>>
  }

  /** The class that a contract extends. A method that refuses rejects with a text. */
  export abstract class Standard {
    protected readonly transactions: Transaction
    /** By the id of a stream. The ledger's own types call it private. */
    protected readonly sigs: Readonly<Record<string, unknown>>
    protected newActivityStream(name: string, deterministic?: string): Activity
    /** Creates a stream for an id that the transaction does not name. */
    protected getActivityStreams(id: unknown): Activity
    abstract verify(isSelfSigned: boolean): Promise<boolean>
    abstract vote(): Promise<boolean>
    abstract commit(): Promise<boolean>
  }

  export const ActiveCrypto: {
    readonly KeyPair: new (type: string, publicKey: string) => { verify(data: object, signature: string): boolean }
  }
}
