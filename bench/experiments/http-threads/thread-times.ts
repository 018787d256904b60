import { readdirSync, readFileSync } from 'node:fs'

/** Microseconds that each thread of a process has had a core, by the system's id of the thread (Linux). */
export type ThreadTimes = ReadonlyMap<string, number>

const NANOSECONDS_PER_MICROSECOND = 1000

export function threadTimes(pid: number): ThreadTimes {
  const task = `/proc/${pid}/task`
  return new Map(readdirSync(task).map((id) => [id, read(`${task}/${id}/schedstat`)]))
}

/** What the main thread, the threads named, and all others took between two looks, per creation. */
export function sharesOf(
  pid: number,
  named: readonly string[],
  before: ThreadTimes,
  after: ThreadTimes,
  creations: number,
): { readonly main: number; readonly named: readonly number[]; readonly others: number } {
  const taken = (id: string) => ((after.get(id) ?? 0) - (before.get(id) ?? 0)) / creations
  const others = [...after.keys()].filter((id) => id !== String(pid) && !named.includes(id))
  return {
    main: taken(String(pid)),
    named: named.map(taken),
    others: others.reduce((sum, id) => sum + taken(id), 0),
  }
}

/** The thread beside the main one that took the most: in the service as it is, the one that verifies. */
export function busiestBesideMain(pid: number, before: ThreadTimes, after: ThreadTimes): string {
  let busiest = ''
  let most = -1
  for (const [id, time] of after) {
    const taken = time - (before.get(id) ?? 0)
    if (id === String(pid) || taken <= most) continue
    busiest = id
    most = taken
  }
  return busiest
}

function read(path: string): number {
  return Number(readFileSync(path, 'utf8').split(' ')[0]) / NANOSECONDS_PER_MICROSECOND
}
