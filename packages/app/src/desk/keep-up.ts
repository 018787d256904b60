export interface KeepUpParts {
  /** What there is to do again and again. */
  readonly work: () => Promise<void>
  /** Resolves when it is time for it again. */
  readonly pause: () => Promise<void>
  /** Called with why the work failed; with null when it did not. */
  readonly onFailure: (error: unknown) => void
  readonly ended: AbortSignal
}

/** Does something again and again until the end, whatever happens to it once. */
export async function keepUp({ work, pause, onFailure, ended }: KeepUpParts): Promise<void> {
  while (!ended.aborted) {
    try {
      await work()
      onFailure(null)
    } catch (error) {
      if (ended.aborted) return
      onFailure(error)
    }
    await pause()
  }
}
