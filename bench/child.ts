import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A script of the benchmarks in a child process, which reports by messages. */
export class Child {
  private readonly messages: unknown[] = []
  private waiting: { resolve(message: unknown): void; reject(error: Error): void } | undefined
  private ending: Error | undefined

  private constructor(
    private readonly process: ChildProcess,
    private readonly name: string,
  ) {
    process.on('message', (message) => {
      if (this.waiting === undefined) this.messages.push(message)
      else this.waiting.resolve(message)
      this.waiting = undefined
    })
    process.on('exit', (code, signal) => {
      this.ending = new Error(`${name} ended with ${signal ?? code}`)
      this.waiting?.reject(this.ending)
      this.waiting = undefined
    })
  }

  /** `script` is relative to the directory of the benchmarks; it receives the argument as JSON. */
  static start(script: string, argument: unknown): Child {
    const path = new URL(script, import.meta.url).pathname
    return new Child(fork(path, [JSON.stringify(argument)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }), script)
  }

  /** Resolves with the next message. Rejects when the process ends first. */
  message<T>(): Promise<T> {
    if (this.messages.length > 0) return Promise.resolve(this.messages.shift() as T)
    if (this.ending !== undefined) return Promise.reject(this.ending)
    if (this.waiting !== undefined) throw new Error(`somebody waits for a message of ${this.name} already`)
    return new Promise<T>((resolve, reject) => {
      this.waiting = { resolve: (message) => resolve(message as T), reject }
    })
  }

  send(message: object): void {
    this.process.send(message)
  }

  async stop(): Promise<void> {
    if (this.ending !== undefined) return
    const ended = once(this.process, 'exit')
    this.process.kill('SIGKILL')
    await ended
  }
}

/** Runs a script that sends one message, and resolves with it. */
export async function askChild<T>(script: string, argument: unknown): Promise<T> {
  const child = Child.start(script, argument)
  try {
    return await child.message<T>()
  } finally {
    await child.stop()
  }
}
