/** Work that is under way, each under a name: a second one of the same name is turned away until the first has ended. */
export class InProgress {
  private readonly names = new Set<string>()

  /** Null, without running it, while work of the name is under way. */
  async run<T>(name: Uint8Array, work: () => Promise<T>): Promise<T | null> {
    const text = Buffer.from(name).toString('base64')
    if (this.names.has(text)) return null
    this.names.add(text)
    try {
      return await work()
    } finally {
      this.names.delete(text)
    }
  }
}
