/**
 * Why a commit failed, after the binding's error of a write in it; null for any other error. The binding tells it by a second
 * promise, which rejects soon after, and prints it. Without a handler that promise would end the process.
 */
export function commitErrorOf(cause: unknown): Promise<Error> | null {
  if (!(cause instanceof Error) || !('commitError' in cause) || !(cause.commitError instanceof Promise)) return null
  return cause.commitError.then(
    () => cause,
    (reason) => reason,
  )
}
