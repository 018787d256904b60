/** Work under way, by name. A second one of the same name is turned away until the first has ended. */
export class InProgress {
  private readonly names = new Set<string>()

  /** Returns null, and does not run `work`, while other work of the name is under way. */
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
