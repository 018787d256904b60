import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { missingPrograms } from '../support/programs.js'

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url))

/** How long a text is awaited: then the terminal is closed. */
const PATIENCE_MS = 60_000

/** Why there is no terminal here, for `skip`; false when there is one. */
export const noTerminal = missingPrograms('script')

/** `billhook` on a pseudo-terminal, by `script` of util-linux. */
export class Terminal {
  private constructor(
    readonly ended: Promise<{ readonly code: number | null; readonly text: string }>,
    private readonly child: ReturnType<typeof spawn>,
    private readonly screen: { text: string },
  ) {}

  static start(argv: readonly string[]): Terminal {
    const words = [process.execPath, main, ...argv].map((word) => `'${word}'`).join(' ')
    const child = spawn('script', ['--quiet', '--return', '--command', `exec ${words}`, '/dev/null'], {
      env: { PATH: process.env['PATH'], TERM: 'xterm' },
    })
    const screen = { text: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen.text += text
    })
    const ended = once(child, 'close').then(([code]) => ({ code, text: screen.text }))
    return new Terminal(ended, child, screen)
  }

  /** Resolves when the text stands in what was written so far. */
  async wrote(text: string): Promise<void> {
    const timer = setTimeout(() => this.child.kill('SIGKILL'), PATIENCE_MS)
    while (!this.screen.text.includes(text)) {
      const ended = await Promise.race([once(this.child.stdout ?? this.child, 'data').then(() => null), this.ended])
      if (ended !== null && !ended.text.includes(text)) throw new Error(`it ended: ${JSON.stringify(ended)}`)
    }
    clearTimeout(timer)
  }

  type(keys: string): void {
    this.child.stdin?.write(keys)
  }
}
