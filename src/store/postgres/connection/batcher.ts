/** What the questions of one statement cost together, so that answers stay small; one that costs more has a statement of its own. */
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

  /** `weightOf`: what a question costs. */
  constructor(
    private readonly askAll: (questions: readonly Q[]) => Promise<ReadonlyMap<Q, A>>,
    private readonly weightOf: (question: Q) => number = () => 1,
  ) {}

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
      const asked = this.take()
      try {
        const answers = await this.askAll(asked.map(([question]) => question))
        for (const [question, all] of asked) for (const { resolve } of all) resolve(answers.get(question))
      } catch (error) {
        for (const [, all] of asked) for (const { reject } of all) reject(error)
      }
    }
    this.isRunning = false
  }

  /** Takes as many as one statement asks, at least one. */
  private take(): readonly (readonly [Q, Waiting<A>[]])[] {
    const taken: (readonly [Q, Waiting<A>[]])[] = []
    let left = ASKED_AT_ONCE
    for (const [question, all] of this.waiting) {
      left -= this.weightOf(question)
      if (taken.length > 0 && left < 0) break
      taken.push([question, all])
      this.waiting.delete(question)
    }
    return taken
  }
}
