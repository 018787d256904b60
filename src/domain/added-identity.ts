/** What became of an identity that an operator made exist. */
export interface AddedIdentity {
  readonly identity: string
  /** False when it existed. */
  readonly added: boolean
}
