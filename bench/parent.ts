/** The counterpart of `child.ts` in the child process. */

/** The argument of the script. */
export function argument<T>(): T {
  return JSON.parse(process.argv[2] ?? 'null') as T
}

export function tell(message: object): void {
  process.send?.(message)
}

/** The machine's clock, in ms. Its times are comparable between processes. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
