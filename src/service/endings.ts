/**
 * What ends the parts that have been started, in the order of their start. Ending goes the other way, from the outside
 * in: what has been accepted still finds everything that it needs.
 */
export type Endings = (() => void | Promise<void>)[]

export async function endAll(endings: Endings): Promise<void> {
  for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end()
}
