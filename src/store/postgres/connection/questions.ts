interface Asked<Q, A> {
  readonly question: Q
  readonly resolve: (answer: A) => void
  readonly reject: (error: unknown) => void
}

/** Questions of one kind of a unit of work: those that are asked before `send` are answered together. */
export class Questions<Q, A> {
  private asked: Asked<Q, A>[] = []

  /** `answerAll` answers each question, in order. */
  constructor(private readonly answerAll: (questions: readonly Q[]) => Promise<readonly A[]>) {}

  ask(question: Q): Promise<A> {
    const answer = new Promise<A>((resolve, reject) => this.asked.push({ question, resolve, reject }))
    // Nobody may be waiting for it any more when an earlier one has failed.
    answer.catch(() => {})
    return answer
  }

  send(): void {
    const { asked } = this
    if (asked.length === 0) return
    this.asked = []
    void this.answer(asked)
  }

  private async answer(asked: readonly Asked<Q, A>[]): Promise<void> {
    try {
      const answers = await this.answerAll(asked.map(({ question }) => question))
      if (answers.length !== asked.length) throw new Error('a question has no answer')
      for (const [i, { resolve }] of asked.entries()) resolve(answers[i] as A)
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }
}
