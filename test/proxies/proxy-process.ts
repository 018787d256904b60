import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { endChild } from '../support/child-process.js'
import { freePort } from '../support/free-port.js'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js'
import { type Certificate, certificateOfHost } from './certificate.js'
import { atPlaces, type Deployed, deployed, LOG, type ProxyName } from './deployed.js'

const START_MS = 10_000
const RETRY_MS = 20
const STOP_MS = 2_000

/** What to start, and before which server. */
export interface Launch {
  readonly name: ProxyName
  readonly upstreamPort: number
  /** Changes the deployed file further. */
  readonly adapt?: (text: string) => string
}

/** A configuration in a directory of its own. */
class Setup {
  readonly place: TemporaryDirectory = temporaryDirectory()
  readonly certificate: Certificate = certificateOfHost(this.place.path)
  private readonly args: ReturnType<Deployed['args']>

  constructor(
    private readonly launch: Launch,
    readonly httpPort: number,
    readonly httpsPort: number,
  ) {
    const { name, upstreamPort, adapt } = launch
    const directory = this.place.path
    const kind: Deployed = deployed[name]
    const places = { httpPort, httpsPort, upstreamPort, directory, ...this.certificate }
    const text = atPlaces(name, places)
    writeFileSync(join(directory, 'deployed'), adapt?.(text) ?? text)
    if (kind.whole !== undefined) writeFileSync(join(directory, 'whole'), kind.whole(directory))
    this.args = kind.args(join(directory, kind.whole === undefined ? 'deployed' : 'whole'), directory)
  }

  /** The proxy's own judgement of the configuration. */
  judge(): { readonly status: number | null; readonly output: string } {
    const run = spawnSync(this.launch.name, this.args.try, { env: this.environment, encoding: 'utf8' })
    return { status: run.status, output: `${run.stdout}${run.stderr}` }
  }

  spawn(): ChildProcess {
    // A file, because nginx opens its standard output by name.
    const log = openSync(this.logFile, 'a')
    const child = spawn(this.launch.name, this.args.run, { env: this.environment, stdio: ['ignore', log, log] })
    closeSync(log)
    return child
  }

  get logFile(): string {
    return join(this.place.path, LOG)
  }

  private get environment(): NodeJS.ProcessEnv {
    const { path } = this.place
    return { PATH: process.env['PATH'], HOME: path, XDG_DATA_HOME: path, XDG_CONFIG_HOME: path }
  }
}

/** What the proxy itself says about the deployed file. */
export async function judgeDeployed(name: ProxyName): Promise<ReturnType<Setup['judge']>> {
  const setup = new Setup({ name, upstreamPort: 1 }, await freePort(), await freePort())
  const judgement = setup.judge()
  setup.place.remove()
  return judgement
}

/** A reverse proxy in a process of its own, with the configuration of deploy/. */
export class ProxyProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly setup: Setup,
  ) {}

  get httpPort(): number {
    return this.setup.httpPort
  }

  get httpsPort(): number {
    return this.setup.httpsPort
  }

  /** In PEM. */
  get certificate(): string {
    return this.setup.certificate.text
  }

  /** Resolves when the proxy accepts connections. */
  static async start(launch: Launch): Promise<ProxyProcess> {
    const setup = new Setup(launch, await freePort(), await freePort())
    const child = setup.spawn()
    const proxy = new ProxyProcess(child, setup)
    try {
      await accepts(setup.httpsPort, child)
    } catch (error) {
      throw new Error(`${launch.name} did not start: ${await proxy.stop()}`, { cause: error })
    }
    return proxy
  }

  /** Resolves when `isEnough` of what it has written so far, and after `atMostMs` at the latest. */
  async untilLog(isEnough: (log: string) => boolean, atMostMs: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < atMostMs && !isEnough(this.log); waitedMs += RETRY_MS) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  /** Ends it; resolves with what it has written of the requests that it saw. */
  async stop(): Promise<string> {
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS)
    await endChild(this.child, 'SIGTERM')
    clearTimeout(timer)
    const text = this.log
    this.setup.place.remove()
    return text
  }

  private get log(): string {
    const { logFile } = this.setup
    return existsSync(logFile) ? readFileSync(logFile, 'latin1') : ''
  }
}

async function accepts(port: number, child: ChildProcess): Promise<void> {
  for (let waitedMs = 0; waitedMs < START_MS; waitedMs += RETRY_MS) {
    if (child.exitCode !== null) throw new Error(`the proxy ended with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
  throw new Error(`the proxy accepts no connections after ${START_MS} ms`)
}
