/** The other side of `child.ts`: what a script knows of the process that started it. */

/** What the script was started with. */
export function argument<T>(): T {
  return JSON.parse(process.argv[2] ?? 'null') as T
}

export function tell(message: object): void {
  process.send?.(message)
}

/** The clock of the whole machine, in ms: times that different processes took with it can be compared. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
