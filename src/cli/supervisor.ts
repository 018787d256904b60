import type { Logger } from '../log.js'
import { systemLibrary } from './system-calls.js'

/** What a service manager such as systemd is told, by the protocol of sd_notify. */
export interface Supervisor {
  /** The service accepts requests, or has finished a reload. */
  ready(): void
  reloading(): void
  stopping(): void
  /** A heartbeat, for its watchdog. */
  alive(): void
  /** How long its watchdog waits for a heartbeat, ms; null when it waits for none. */
  readonly patienceMs: number | null
}

/** Sends a datagram. Throws when it cannot be sent. */
type Send = (text: string) => void

const US_PER_MS = 1000
const NS_PER_US = 1000n

// Of Linux. Node has no datagram sockets of this family.
const AF_UNIX = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000
const MSG_DONTWAIT = 0x40
const MSG_NOSIGNAL = 0x4000
/** The size of `sun_path`. */
const SOCKET_PATH_LIMIT_BYTES = 108

const NOBODY: Supervisor = {
  ready: () => undefined,
  reloading: () => undefined,
  stopping: () => undefined,
  alive: () => undefined,
  patienceMs: null,
}

/** The service manager that started this process, by its environment; one that hears nothing if there is none. */
export function supervisorOf(
  environment: Readonly<Record<string, string | undefined>>,
  log: Pick<Logger, 'warn'>,
): Supervisor {
  const socket = environment['NOTIFY_SOCKET'] ?? ''
  if (socket === '') return NOBODY
  const sender = datagramSender(socket)
  const tell = (text: string) => {
    const failed = (error: unknown) =>
      log.warn({ err: error, socket, text }, 'the service manager could not be notified')
    sender.then((send) => send(text)).catch(failed)
  }
  return {
    ready: () => tell('READY=1\n'),
    // The manager takes a reload for finished only if READY=1 came after this time.
    reloading: () => tell(`RELOADING=1\nMONOTONIC_USEC=${process.hrtime.bigint() / NS_PER_US}\n`),
    stopping: () => tell('STOPPING=1\n'),
    alive: () => tell('WATCHDOG=1\n'),
    patienceMs: watchdogMs(environment),
  }
}

/** Null unless the watchdog is meant for this process. */
function watchdogMs({ WATCHDOG_USEC, WATCHDOG_PID }: Readonly<Record<string, string | undefined>>): number | null {
  if (WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(process.pid)) return null
  const us = Number(WATCHDOG_USEC)
  return us > 0 ? us / US_PER_MS : null
}

/** A `sockaddr_un`: a path, or after an `@` a name in the abstract namespace. */
function socketAddress(socket: string): Buffer {
  const path = Buffer.from(socket)
  if (!/^[/@]./.test(socket) || path.length >= SOCKET_PATH_LIMIT_BYTES) {
    throw new Error('the address in NOTIFY_SOCKET is not supported')
  }
  if (socket.startsWith('@')) path[0] = 0
  const family = Buffer.alloc(2)
  new Uint16Array(family.buffer, family.byteOffset, 1)[0] = AF_UNIX
  return Buffer.concat([family, path])
}

/** Rejects where koffi is not installed, or the address is of another kind. */
async function datagramSender(to: string): Promise<Send> {
  const address = socketAddress(to)
  const { koffi, system } = await systemLibrary()
  const socket = system.func('int socket(int family, int type, int protocol)')
  const sendto = system.func(
    'long sendto(int fd, const void *data, size_t length, int flags, const void *to, uint32_t toLength)',
  )
  const close = system.func('int close(int fd)')
  return (text) => {
    const data = Buffer.from(text)
    const fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
    if (fd < 0) throw new Error(`no socket can be opened (errno ${koffi.errno()})`)
    const sent = sendto(fd, data, data.length, MSG_DONTWAIT | MSG_NOSIGNAL, address, address.length)
    const errno = koffi.errno()
    close(fd)
    if (sent < 0) throw new Error(`the message was not taken (errno ${errno})`)
  }
}
