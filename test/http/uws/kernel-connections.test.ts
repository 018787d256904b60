import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { endianness } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { connectionsTo } from '../../../src/http/uws/connection-share.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

/** What Linux shows on a little-endian machine: headings, then port 8080 and others, in several states. */
const IPV4 = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 100 1
   1: 0100007F:1F90 0200007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 101 1
   2: 0100007F:1F90 0200007F:D432 08 00000000:00000000 00:00000000 00000000     0        0 102 1
   3: 0100007F:1F90 070200C0:D433 01 00000000:00000000 00:00000000 00000000     0        0 103 1
   4: 0100007F:1F90 0200007F:D434 06 00000000:00000000 00:00000000 00000000     0        0 0 1
   5: 0100007F:1F91 0200007F:D435 01 00000000:00000000 00:00000000 00000000     0        0 104 1
  10: 0200007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 105 1
`
const IPV6 = `  sl  local_address                         remote_address                        st
   0: 00000000000000000000000001000000:1F90 B80D0120000000000000000001000000:D436 01 0:0 00:0 0 0 0 106 1
   1: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000200007F:D437 01 0:0 00:0 0 0 0 107 1
`

const LOOKS = 20

describe('the connections that the kernel knows', () => {
  test('are counted by peer, for one port, while the process holds them', {
    skip: endianness() === 'LE' ? false : 'the table is of a little-endian machine',
  }, async (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const [four, six] = [join(place.path, 'tcp'), join(place.path, 'tcp6')]
    writeFileSync(four, IPV4)
    writeFileSync(six, IPV6)
    assert.deepEqual(await connectionsTo(8080, [four]), new Map(Object.entries({ '127.0.0.2': 2, '192.0.2.7': 1 })))
    const six6 = await connectionsTo(8080, [six, join(place.path, 'none')])
    assert.deepEqual(six6, new Map(Object.entries({ '2001:db8::1': 1, '127.0.0.2': 1 })))
    assert.equal(await connectionsTo(8080, [join(place.path, 'none')]), null)
  })

  test('are those that are there', { skip: existsSync('/proc/self/net/tcp') ? false : 'no Linux' }, async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const sockets = Array.from({ length: 3 }, () => connect({ port, host: '127.0.0.1', localAddress: '127.0.0.3' }))
    t.after(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    // The table is no snapshot: where other connections come and go while it is read, one may stand in it twice.
    let counted = await connectionsTo(port)
    for (let looks = 1; looks < LOOKS && counted?.get('127.0.0.3') !== 3; looks += 1)
      counted = await connectionsTo(port)
    assert.deepEqual(counted, new Map([['127.0.0.3', 3]]))
  })
})
