import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createECDH, createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { projectRoot } from '../test/support/project-root.js'

/** PrivateKeyInfo (RFC 5208) of a secp256k1 key, up to its 32 bytes. */
const PKCS8_HEAD = '303e020100301006072a8648ce3d020106052b8104000a042730250201010420'
const GATEWAY_SECRET = 'a secret of the demonstration'
/** Several times what any step takes on a slow machine. */
const PATIENCE_MS = 30_000
const LOOK_PAUSE_MS = 50
const REQUEST_TIMEOUT_MS = 10_000

/** The fields of the answers that are read here. */
interface Answer {
  readonly status?: unknown
  readonly secret?: unknown
  readonly id?: unknown
  readonly url?: unknown
  readonly results?: unknown
  readonly payment?: { readonly status: string; readonly pending: string }
}

/** Prints what happens, and at the end stops what it started. */
export class Demonstration {
  readonly directory = mkdtempSync(join(tmpdir(), 'billhook-demonstration-'))
  private steps = 0
  private log = ''
  private readonly started: { stop(): Promise<unknown> }[] = []

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => void this.end().finally(() => process.exit(1)))
    }
  }

  say(line: string): void {
    process.stdout.write(`${line}\n`)
  }

  step(title: string): void {
    this.steps += 1
    this.say(`\n== ${this.steps}. ${title}`)
  }

  endLater<Part extends { stop(): Promise<unknown> }>(part: Part): Part {
    this.started.push(part)
    return part
  }

  async startService(environment: Readonly<Record<string, string>>): Promise<Billhook> {
    const argv = ['dist/src/main.js', 'serve', '--port', '0', '--data', join(this.directory, 'data')]
    const child = start(argv, { BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET, ...environment })
    const billhook = this.endLater(new Billhook(child))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log += text
    })
    billhook.url = await addressOf(child)
    return billhook
  }

  /** Everything that the service has logged. */
  logOfService(): string {
    return this.log
  }

  async startReceiver(secretFile: string): Promise<Receiver> {
    const child = start(['examples/receiver.mjs', secretFile], {})
    const receiver = this.endLater(new Receiver(child, (line) => this.say(`receiver: ${line}`)))
    await eventually('the receiver listens', async () => receiver.url !== '')
    return receiver
  }

  async end(): Promise<void> {
    for (let part = this.started.pop(); part !== undefined; part = this.started.pop()) await part.stop()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** The service in a process of its own, and a merchant's client for it. */
export class Billhook {
  url = ''
  private key: KeyObject | null = null
  private publicKey = ''

  constructor(private readonly child: ChildProcess) {}

  get(path: string): Promise<Answer> {
    return this.request('GET', path)
  }

  /** A request with a JSON body. */
  send(method: string, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.request(method, path, JSON.stringify(body), headers)
  }

  /** Pushes events as a ledger gateway does. */
  push(events: readonly unknown[]): Promise<Answer> {
    const timestamp = String(Date.now())
    const signature = createHmac('sha256', GATEWAY_SECRET).update(`${timestamp}\n${JSON.stringify({ events })}`)
    return this.send(
      'POST',
      '/internal/events',
      { events },
      {
        'X-Gateway-Timestamp': timestamp,
        'X-Gateway-Signature': signature.digest('hex'),
      },
    )
  }

  async registerKey(owner: string): Promise<void> {
    const pair = createECDH('secp256k1')
    this.publicKey = pair.generateKeys('hex', 'compressed')
    const der = Buffer.from(`${PKCS8_HEAD}${pair.getPrivateKey('hex').padStart(64, '0')}`, 'hex')
    this.key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    const permissions = ['invoices:create']
    await this.send('POST', '/api/api-keys', { owner, label: 'demonstration', publicKey: this.publicKey, permissions })
  }

  createInvoice(invoice: unknown): Promise<Answer> {
    assert.ok(this.key !== null)
    const timestamp = String(Date.now())
    const message = `POST /api/invoices\n${timestamp}\n${JSON.stringify(invoice)}`
    return this.send('POST', '/api/invoices', invoice, {
      'X-Service-Api-Key': this.publicKey,
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': sign('sha256', Buffer.from(message), this.key).toString('base64'),
    })
  }

  /** The status on the payment page. */
  async pageStatus(path: string): Promise<string> {
    const response = await fetch(`${this.url}${path}`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
    const page = await response.text()
    const marked = /role="status"[^>]*><p>(.*?)<\/p>/.exec(page)?.[1] ?? assert.fail(`the page says no status: ${page}`)
    return marked.replace(/<[^>]*>/g, '')
  }

  async end(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
    return await endProcess(this.child)
  }

  stop(): Promise<unknown> {
    return this.end()
  }

  private async request(method: string, path: string, body?: string, headers = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text) as Answer
  }
}

/** examples/receiver.mjs, and the lines that it prints. */
export class Receiver {
  url = ''
  private readonly lines: string[] = []

  constructor(
    private readonly child: ChildProcess,
    say: (line: string) => void,
  ) {
    assert.ok(child.stdout)
    child.stderr?.pipe(process.stderr)
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.url ||= /^listening on (\S+)/.exec(line)?.[1] ?? ''
      if (line.startsWith('listening')) return
      this.lines.push(line)
      say(line)
    })
  }

  /** Waits for a delivery whose signature was verified. */
  async verified(status: string, txHash: string): Promise<void> {
    await eventually(`the receiver has verified ${status} of ${txHash}`, async () =>
      this.lines.some((line) => line.startsWith(`verified ${status} {`) && line.includes(`"txHash":"${txHash}"`)),
    )
  }

  /** One line for each delivery: the receiver's verdict, the status, the transaction. */
  heard(): readonly string[] {
    return this.lines.map((line) => line.replace(/^(\w+ \w+) .*"txHash":"([^"]*)".*$/, '$1 $2'))
  }

  stop(): Promise<unknown> {
    return endProcess(this.child)
  }
}

/** Polls until the condition holds. */
export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + PATIENCE_MS
  while (!(await isSo())) {
    assert.ok(Date.now() < until, `expected that ${what}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE_MS))
  }
}

function start(argv: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  const { PATH } = process.env
  const env = { ...(PATH === undefined ? {} : { PATH }), ...environment }
  return spawn(process.execPath, argv, { cwd: projectRoot, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** The address in the ready line. */
async function addressOf(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout)
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (http:\/\/\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout.resume()
    return url
  }
  assert.fail('Billhook ended before it was ready')
}

async function endProcess(child: ChildProcess) {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  return { code: child.exitCode, signal: child.signalCode }
}
