import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const DROP_INS = '/etc/systemd/system/billhook.service.d'
const PAUSE_MS = 50
const PATIENCE_MS = 30_000
/** Lines of the log in which troubles are looked for. */
const TROUBLED_LINES = 10_000
const LOG_BYTES_MAX = 64 << 20

/** Runs a command that must end with 0, and answers with what it printed. */
export async function run(file: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [printed, problems, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  assert.equal(code, 0, `${file} ${args.join(' ')}: ${problems}`)
  return printed
}

/** Resolves when `isTrue`. */
export async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; !(await isTrue()); waitedMs += PAUSE_MS) {
    assert.ok(waitedMs < PATIENCE_MS, `never true: ${what}`)
    await sleep(PAUSE_MS)
  }
}

/** The unit of the service, as an operator uses it. */
export const unit = {
  /** Resolves when it is ready. */
  start: () => run('systemctl', 'start', 'billhook'),
  /** Resolves at once. */
  beginToStart: () => run('systemctl', 'start', '--no-block', 'billhook'),
  restart: () => run('systemctl', 'restart', 'billhook'),
  stop: () => run('systemctl', 'stop', 'billhook'),
  reload: () => run('systemctl', 'reload', 'billhook'),
  /** As if the power was cut, as far as the processes are concerned. */
  kill: () => run('systemctl', 'kill', '--signal=KILL', 'billhook'),

  property: (name: string) =>
    execFileSync('systemctl', ['show', '--property', name, '--value', 'billhook'], { encoding: 'utf8' }).trim(),

  /** The end of its log. */
  log: (lines = 40) =>
    execFileSync('journalctl', ['--unit=billhook', '--no-pager', '--output=cat', `--lines=${lines}`], {
      encoding: 'utf8',
      maxBuffer: LOG_BYTES_MAX,
    }),

  /** What its log has of warnings, errors, starts and ends. */
  troubles: () =>
    unit
      .log(TROUBLED_LINES)
      .split('\n')
      .filter((line) => !line.includes('"level":"info"'))
      .slice(-40)
      .join('\n'),

  /** Adds lines to the section [Service], in a file of that name. */
  async change(name: string, lines: readonly string[]): Promise<void> {
    mkdirSync(DROP_INS, { recursive: true })
    writeFileSync(`${DROP_INS}/${name}.conf`, `${['[Service]', ...lines].join('\n')}\n`)
    await run('systemctl', 'daemon-reload')
  },

  async unchange(name: string): Promise<void> {
    rmSync(`${DROP_INS}/${name}.conf`)
    await run('systemctl', 'daemon-reload')
  },
} as const
