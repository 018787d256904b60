/** The browser's pause before it connects again. */
const RETRY_MS = 2000

/** The event that a page has a new version. */
export function newsOf(version: string): string {
  return `id: ${version}\nevent: changed\ndata: ${version}\n\n`
}

/** The events of one page. At most one waits to be sent: a later version replaces it, and a beat waits for nothing. */
export class OpenPage implements AsyncIterableIterator<string> {
  /** The first one makes the head of the answer go out, unless there is news by then. */
  private unsent: string | null = `retry: ${RETRY_MS}\n\n`
  private wake: ((result: IteratorResult<string>) => void) | null = null
  private isEnded = false

  constructor(
    private seen: string | null,
    private readonly onEnd: () => void,
  ) {}

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<string>> {
    if (this.isEnded) return Promise.resolve(DONE)
    const value = this.unsent
    if (value !== null) {
      this.unsent = null
      return Promise.resolve({ done: false, value })
    }
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }

  return(): Promise<IteratorResult<string>> {
    this.end()
    return Promise.resolve(DONE)
  }

  tell(version: string): void {
    if (version === this.seen) return
    this.seen = version
    this.send(newsOf(version))
  }

  beat(): void {
    if (this.unsent === null) this.send('event: beat\ndata: 1\n\n')
  }

  end(): void {
    if (this.isEnded) return
    this.isEnded = true
    this.onEnd()
    this.wake?.(DONE)
    this.wake = null
  }

  private send(event: string): void {
    const { wake } = this
    if (wake === null) {
      this.unsent = event
      return
    }
    this.wake = null
    wake({ done: false, value: event })
  }
}

const DONE: IteratorResult<string> = { done: true, value: undefined }
