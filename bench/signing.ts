import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { askChild } from './child.js'

/** Creations that merchants sign, as many as `Merchants` has of these keys and wallets. */
export interface SigningTask {
  /** The request file. */
  readonly path: string
  readonly keys: number
  readonly wallets: number
  /** On all wallets in turn, or always on the first. */
  readonly on: 'many' | 'one'
  /** The number of the first creation of the service. */
  readonly from: number
  readonly count: number
}

/** Writes a request file, with a process for each core: signing takes longer than the load that the requests are for. */
export async function signCreations(task: SigningTask): Promise<void> {
  const { path, from, count } = task
  const share = Math.ceil(count / availableParallelism())
  const tasks: SigningTask[] = []
  for (let begin = 0; begin < count; begin += share) {
    const size = Math.min(share, count - begin)
    tasks.push({ ...task, path: `${path}-${tasks.length}`, from: from + begin, count: size })
  }
  await Promise.all(tasks.map((part) => askChild('./signing-child.js', part)))
  rmSync(path, { force: true })
  for (const part of tasks) {
    appendFileSync(path, readFileSync(part.path))
    rmSync(part.path)
  }
}
