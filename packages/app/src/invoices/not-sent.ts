/** It could not be stored, and so it was not sent. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}
