import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js'

const START_MS = 10_000
const RETRY_MS = 20
const STOP_MS = 2_000
const LOG = 'log'

/** Where Debian has servers, which are not on everybody's path. */
const SYSTEM_PATHS = ['/usr/sbin', '/usr/local/sbin', '/sbin']

interface Addresses {
  readonly port: number
  readonly upstreamPort: number
  readonly directory: string
}

/** `config` has the proxy write the request line, or at least the path, of each request that it saw to its output. */
interface ProxyKind {
  readonly config: (addresses: Addresses) => string
  readonly args: (configFile: string, directory: string) => readonly string[]
}

/** Reverse proxies as operators set them up, with HTTP/1.1 and one idle connection to the service that all clients share. */
const kinds = {
  haproxy: {
    config: ({ port, upstreamPort }) => `global
  maxconn 100
  log stdout format raw local0
defaults
  mode http
  log global
  log-format %r
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  http-reuse always
frontend public
  bind 127.0.0.1:${port}
  default_backend billhook
backend billhook
  server billhook 127.0.0.1:${upstreamPort} pool-max-conn 1
`,
    args: (file) => ['-db', '-f', file],
  },
  nginx: {
    config: ({ port, upstreamPort, directory }) => `daemon off;
master_process off;
pid ${directory}/pid;
error_log /dev/null;
events { worker_connections 200; }
http {
  log_format line $request;
  access_log /dev/stdout line;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  upstream billhook { server 127.0.0.1:${upstreamPort}; keepalive 1; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://billhook;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_request_buffering off;
      proxy_next_upstream off;
    }
  }
}
`,
    args: (file, directory) => ['-p', directory, '-e', '/dev/null', '-c', file],
  },
  caddy: {
    config: ({ port, upstreamPort }) => `{
  admin off
  auto_https off
}
http://:${port} {
  bind 127.0.0.1
  log {
    output stdout
  }
  reverse_proxy 127.0.0.1:${upstreamPort} {
    transport http {
      versions 1.1
      keepalive_idle_conns 1
    }
  }
}
`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
} as const satisfies Record<string, ProxyKind>

export type ProxyName = keyof typeof kinds

export const proxyNames = Object.keys(kinds) as readonly ProxyName[]

/** The proxy's program; null where it is not installed. */
export function programOf(name: ProxyName): string | null {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), ...SYSTEM_PATHS]
  return directories.map((directory) => join(directory, name)).find((file) => existsSync(file)) ?? null
}

/** A reverse proxy in a process of its own. */
export class ProxyProcess {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly place: TemporaryDirectory,
  ) {}

  /** Resolves when the proxy accepts connections. */
  static async start(name: ProxyName, program: string, upstreamPort: number): Promise<ProxyProcess> {
    const place = temporaryDirectory()
    const directory = place.path
    const port = await freePort()
    const file = join(directory, 'config')
    const kind: ProxyKind = kinds[name]
    writeFileSync(file, kind.config({ port, upstreamPort, directory }))
    // A file, because nginx opens its standard output by name.
    const log = openSync(join(directory, LOG), 'a')
    const child = spawn(program, kind.args(file, directory), {
      env: { PATH: process.env['PATH'], HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    const proxy = new ProxyProcess(port, child, place)
    try {
      await accepts(port, child)
    } catch (error) {
      throw new Error(`${name} did not start: ${await proxy.stop()}`, { cause: error })
    }
    return proxy
  }

  /** Ends it; resolves with what it has written of the requests that it saw. */
  async stop(): Promise<string> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit')
      this.child.kill('SIGTERM')
      const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(timer)
    }
    const log = join(this.place.path, LOG)
    const text = existsSync(log) ? readFileSync(log, 'latin1') : ''
    this.place.remove()
    return text
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
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
