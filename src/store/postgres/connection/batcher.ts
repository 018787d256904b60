/** Questions in one statement, so that answers stay small. */
const ASKED_AT_ONCE = 256

interface Waiting<A> {
  readonly resolve: (answer: A | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Asks questions together: those that come while others are asked wait, and are asked next, each once. So an answer is never
 * older than its question.
 */
export class Batcher<Q, A> {
  private waiting = new Map<Q, Waiting<A>[]>()
  private isRunning = false

  constructor(private readonly askAll: (questions: readonly Q[]) => Promise<ReadonlyMap<Q, A>>) {}

  ask(question: Q): Promise<A | undefined> {
    return new Promise((resolve, reject) => {
      const others = this.waiting.get(question)
      if (others === undefined) this.waiting.set(question, [{ resolve, reject }])
      else others.push({ resolve, reject })
      if (!this.isRunning) void this.run()
    })
  }

  private async run(): Promise<void> {
    this.isRunning = true
    // What comes in the same turn joins.
    await Promise.resolve()
    while (this.waiting.size > 0) {
      const asked = [...this.waiting].slice(0, ASKED_AT_ONCE)
      for (const [question] of asked) this.waiting.delete(question)
      try {
        const answers = await this.askAll(asked.map(([question]) => question))
        for (const [question, all] of asked) for (const { resolve } of all) resolve(answers.get(question))
      } catch (error) {
        for (const [, all] of asked) for (const { reject } of all) reject(error)
      }
    }
    this.isRunning = false
  }
}
