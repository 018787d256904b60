import { readdirSync, readFileSync } from 'node:fs'

const NS_PER_US = 1000

/** Processor time of a process so far, in µs. */
export interface ProcessorTime {
  readonly mainThread: number
  readonly allThreads: number
}

/** Reads the kernel's account of each thread, which exists on Linux only. */
export function processorTimeOf(pid: number): ProcessorTime {
  const tasks = `/proc/${pid}/task`
  const read = (task: string) => Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]) / NS_PER_US
  return { mainThread: read(String(pid)), allThreads: readdirSync(tasks).reduce((sum, task) => sum + read(task), 0) }
}
