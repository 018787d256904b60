/** The first parameter of `query` that is not among `known`; undefined when all are. */
export function unknownParameter(query: string, known: readonly string[]): string | undefined {
  if (query === '') return undefined
  for (const name of new URLSearchParams(query).keys()) {
    if (!known.includes(name)) return name
  }
  return undefined
}
