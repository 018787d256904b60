import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { endianness } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import koffi from 'koffi'
import { temporaryDirectory } from '../support/temporary-directory.js'

const POLL_MS = 5
const PATIENCE_MS = 30_000
const MESSAGE_BYTES_MAX = 4096

// Of Linux.
const AF_UNIX = 1
const SOCK_DGRAM = 2
const MSG_DONTWAIT = 0x40
/** The size of `sun_path`. */
const PATH_BYTES = 108

const system = koffi.load(null)
const socket = system.func('int socket(int family, int type, int protocol)')
const bind = system.func('int bind(int fd, const void *address, uint32_t length)')
const recv = system.func('long recv(int fd, _Out_ uint8_t *data, size_t length, int flags)')
const close = system.func('int close(int fd)')

/** A service manager's socket: of datagrams, which Node does not have in this family. Each message is a line. */
export class ManagerSocket {
  private readonly lines: string[] = []
  private isOpen = true

  private constructor(
    /** As it stands in NOTIFY_SOCKET. */
    readonly address: string,
    private readonly fd: number,
  ) {}

  static open(t: TestContext, kind: 'path' | 'abstract'): ManagerSocket {
    const place = temporaryDirectory()
    const path = join(place.path, 'notify')
    const fd = socket(AF_UNIX, SOCK_DGRAM, 0)
    assert.ok(fd >= 0)
    const name = Buffer.from(kind === 'path' ? path : `\0${path}`)
    assert.ok(name.length < PATH_BYTES)
    const family = endianness() === 'LE' ? Buffer.of(AF_UNIX, 0) : Buffer.of(0, AF_UNIX)
    const sockaddr = Buffer.concat([family, name])
    assert.equal(bind(fd, sockaddr, sockaddr.length), 0)
    const manager = new ManagerSocket(kind === 'path' ? path : `@${path}`, fd)
    t.after(() => {
      manager.close()
      place.remove()
    })
    // As others see it.
    assert.ok(kind === 'path' ? existsSync(path) : readFileSync('/proc/net/unix', 'utf8').includes(` @${path}\n`))
    return manager
  }

  /** The next line that it is told. */
  async next(): Promise<string> {
    const data = Buffer.alloc(MESSAGE_BYTES_MAX)
    for (let waitedMs = 0; this.lines.length === 0; waitedMs += POLL_MS) {
      assert.ok(this.isOpen, 'the socket was closed')
      assert.ok(waitedMs < PATIENCE_MS, 'the service manager is told nothing')
      const length = recv(this.fd, data, data.length, MSG_DONTWAIT)
      if (length < 0) await pause(POLL_MS)
      else this.lines.push(...data.toString('utf8', 0, length).split('\n').slice(0, -1))
    }
    return this.lines.shift() ?? ''
  }

  /** Nothing listens any more. */
  close(): void {
    if (this.isOpen) close(this.fd)
    this.isOpen = false
  }
}
