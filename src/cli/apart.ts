import { once } from 'node:events'
import { isSea } from 'node:sea'
import type { CommandIo, StopSignal } from './command.js'

/*
 * LMDB reads its file as memory. A damaged page, or a disk that cannot read one, ends the process in the middle of it by a signal of the
 * kernel, before anything can be said. So a command that opens the data of a directory runs in a child, and its parent says how that ended.
 */

/** The name of the child in place of the program's, by which it knows that it is one. */
const CHILD_NAME = 'billhook-apart'

/** What the kernel sends to a process that reads what is not there, or computes with what cannot be. */
const OF_DAMAGE: readonly NodeJS.Signals[] = ['SIGBUS', 'SIGSEGV', 'SIGFPE', 'SIGILL']

/** How a child ended: with a code, or by a signal. */
export type Apart = { readonly code: number } | { readonly signal: NodeJS.Signals }

/** Whether this process is such a child. */
export function isApart(): boolean {
  return process.argv0 === CHILD_NAME && process.connected
}

/** Runs the command line of this process in a child that has its terminal and files, and passes signals on. */
export async function runApart(onSignal: CommandIo['onSignal']): Promise<Apart> {
  const { spawn } = await import('node:child_process')
  const program = isSea() ? [] : [...process.execArgv, ...process.argv.slice(1, 2)]
  const child = spawn(process.execPath, [...program, ...process.argv.slice(2)], {
    argv0: CHILD_NAME,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  const pass = (name: StopSignal) => onSignal(name, () => child.connected && child.send(name, () => {}))
  pass('SIGINT')
  pass('SIGTERM')
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals]
  return code === null ? { signal } : { code }
}

/** The signals of a child: a terminal sends SIGINT to it as well as to its parent, so only what the parent passes on counts. */
export function signalsOfParent(): CommandIo['onSignal'] {
  process.on('SIGINT', () => {})
  return (name, received) => {
    process.on('message', (passed) => {
      if (passed === name) received()
    })
    // Without a parent nobody waits for the result.
    if (name === 'SIGTERM') process.on('disconnect', received)
  }
}

/** Why a child did not end by itself, in words. */
export function deathBy(signal: NodeJS.Signals, data: string): string {
  return OF_DAMAGE.includes(signal)
    ? `${data} cannot be read: reading it ended the process (${signal}), so its data.mdb is damaged, or the disk below it; keep it, and restore the last backup that stands up to a check`
    : `the process that reads ${data} was ended by ${signal}`
}
