/** A port whose reads answer with the value, not with a promise of it: this engine holds the data in this process. */
export type AtOnce<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Now<Answer>
    : Port[Name]
}

/** What is only ever promised, as a commit is, stays so. */
type Now<Answer> = [Answer] extends [Promise<unknown>] ? Answer : Exclude<Answer, Promise<unknown>>
