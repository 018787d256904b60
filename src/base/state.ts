/** A state was entered from one that does not lead to it. That is a bug of this program: nothing outside of it can cause one. */
export class WrongTransition extends Error {
  override readonly name = 'WrongTransition'
}

/** The state of one thing. Each transition names the states that it comes from. */
export class State<Name extends string> {
  /** `what`: whose state it is, for the report of a wrong transition. */
  constructor(
    private readonly what: string,
    private current: Name,
    private readonly onWrong: (error: WrongTransition) => void,
  ) {}

  get now(): Name {
    return this.current
  }

  /** Whether a state may be entered, from one of those that lead to it; reports it when not. */
  mayEnter(next: Name, ...from: readonly Name[]): boolean {
    const { current, what } = this
    if (from.includes(current)) return true
    this.onWrong(new WrongTransition(`${what} that is ${current} cannot become ${next}`))
    return false
  }

  /**
   * Enters a state from one of those that lead to it. From any other one that is reported; where the report does not throw, the state is
   * entered all the same, so that the work goes on.
   */
  enter(next: Name, ...from: readonly Name[]): void {
    this.mayEnter(next, ...from)
    this.current = next
  }
}
