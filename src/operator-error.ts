/** Why the service cannot start, or a command cannot do its work, for the operator: one clear line. Not a defect, so no stack is shown. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}

/** The start was asked to stop before its end. */
export class StartStopped extends OperatorError {
  override readonly name = 'StartStopped'
}
