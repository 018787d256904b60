/** Why the service cannot start, for the operator: one clear line. Not a defect, so no stack is shown. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}

/** The start was asked to stop before its end. */
export class StartStopped extends StartError {
  override readonly name = 'StartStopped'
}
