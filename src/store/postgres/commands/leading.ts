/** Those of one kind with which a list begins. */
export function leading<T, Kind extends T>(items: readonly T[], isOne: (item: T) => item is Kind): readonly Kind[] {
  const end = items.findIndex((item) => !isOne(item))
  return (end === -1 ? items : items.slice(0, end)).filter(isOne)
}
