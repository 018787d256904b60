/** Why the service cannot start, for the operator: one clear line. Not a defect, so no stack is shown. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
