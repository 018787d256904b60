/** Which store it is: what an operator compares when a volume or a database may be another one than it should. A restored backup keeps it. */
export interface StoreBirth {
  /** 16 hex characters, made when the store was created. */
  readonly id: string
  /** When it was created, Unix ms. For a store of a version that did not note it, when a later version opened it first. */
  readonly bornAt: number
}

/** Whether and how an engine may create a store where it finds none. */
export interface StoreCreation {
  /** Whether it may; else opening rejects with `OperatorError`. */
  readonly mayBegin: boolean
  /** What the operator can do about one that is missing, as the end of a sentence. */
  readonly advice?: string
  /** Called when it did, with where. */
  readonly onCreated?: ((place: string, birth: StoreBirth) => void) | undefined
}
