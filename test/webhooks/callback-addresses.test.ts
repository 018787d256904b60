import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { after, before, describe, test } from 'node:test'
import type { DeliveryResult } from '../../src/domain/webhook.js'
import { AddressGuard } from '../../src/webhooks/address-guard.js'
import type { ResolveHost } from '../../src/webhooks/host-resolver.js'
import { HttpSender, type Sender } from '../../src/webhooks/sender.js'
import { openRawReceiver, openReceiver, type RawReceiver } from '../support/receiver.js'
import { SPECIAL_V4, SPECIAL_V6, spellingsOf } from '../support/special-purpose-addresses.js'

/*
 * No address of the special-purpose registries is ever connected to. Two witnesses: a socket that listens on loopback
 * hears of no connection, and the process asks its kernel for none, to whatever address (a request to connect is a
 * resource of its own to Node, `TCPCONNECTWRAP`).
 */

const strict = new AddressGuard({ allowAll: false, allow: [] })
const withoutGuard = { isAllowed: () => true }
const ODD_PORTS = ['', ':0', ':1', ':22', ':25', ':6379', ':65535']

let connects = 0
const hook = createHook({
  init(_id, type) {
    if (type === 'TCPCONNECTWRAP') connects += 1
  },
})
let loopback: RawReceiver
let port = ''

before(async () => {
  hook.enable()
  loopback = await openRawReceiver((socket) => socket.end())
  port = `:${new URL(loopback.url).port}`
})
after(async () => {
  hook.disable()
  await loopback.close()
})

function senderWith(guard: Pick<AddressGuard, 'isAllowed'>, resolve?: ResolveHost): Sender {
  return new HttpSender({ guard, ...(resolve === undefined ? {} : { resolve }) })
}

function sendTo(sender: Sender, url: string): Promise<DeliveryResult> {
  return sender.send({ url, headers: { 'Content-Type': 'application/json' }, body: Buffer.from('{}') })
}

/** Sends to every URL and asserts that each is refused and that nobody was connected to. */
async function assertNoneConnected(sender: Sender, urls: Iterable<string>): Promise<void> {
  const before = { connects, heard: loopback.connections }
  let count = 0
  for (const url of urls) {
    const result = await sendTo(sender, url)
    assert.equal(result.kind === 'failed' && result.reason, 'refused_address', url)
    count += 1
  }
  sender.close()
  assert.ok(count > 0)
  assert.deepEqual({ connects, heard: loopback.connections }, before)
}

function* urlsOf(hosts: readonly string[], ports: readonly string[] = ['', port]): Generator<string> {
  for (const host of hosts) {
    for (const one of ports) for (const scheme of ['http', 'https']) yield `${scheme}://${host}${one}/hook`
  }
}

const literalsV4 = SPECIAL_V4.flatMap(([first, last]) => [...spellingsOf(first), ...spellingsOf(last)])
const literalsV6 = SPECIAL_V6.flatMap(([first, last]) => [`[${first}]`, `[${last}]`])
const neverAsked: ResolveHost = () => assert.fail('an address was looked up')

describe('the witnesses', () => {
  test('see a connection when the guard is taken away', async () => {
    const sender = senderWith(withoutGuard)
    const before = { connects, heard: loopback.connections }
    const hosts = ['127.0.0.1', '2130706433', '017700000001', '0x7f000001', '0177.0.0.1', '127.1', 'localhost']
    for (const host of hosts) {
      const result = await sendTo(sender, `http://${host}${port}/`)
      assert.equal(result.kind === 'failed' && result.reason, 'connection', host)
    }
    sender.close()
    assert.equal(loopback.connections - before.heard, hosts.length)
    assert.ok(connects - before.connects >= hosts.length)
  })
})

describe('with the guard, nothing connects', () => {
  test('to any block of the IPv4 registry, however its addresses are spelled', async () => {
    await assertNoneConnected(senderWith(strict, neverAsked), urlsOf(literalsV4))
  })

  test('to any block of the IPv6 registry', async () => {
    await assertNoneConnected(senderWith(strict, neverAsked), urlsOf(literalsV6))
  })

  test('to any of them on an odd port', async () => {
    const hosts = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '[::1]', '[fd00::1]']
    await assertNoneConnected(senderWith(strict, neverAsked), urlsOf(hosts, ODD_PORTS))
  })

  test('to any of them behind user information', async () => {
    const urls = ['shop.example', 'shop.example:443', '8.8.8.8', '%00', 'a%40shop.example'].flatMap((user) => [
      `http://${user}@127.0.0.1${port}/`,
      `http://${user}@[::ffff:127.0.0.1]${port}/`,
      `http://${user}:pass@2130706433${port}/`,
      `https://${user}@169.254.169.254/latest/meta-data`,
    ])
    await assertNoneConnected(senderWith(strict, neverAsked), urls)
  })

  test('for a name that resolves to any of them, alone or among others', async () => {
    for (const [first, last] of [...SPECIAL_V4, ...SPECIAL_V6]) {
      for (const addresses of [[first], [last, '127.0.0.1', '::1', first]]) {
        const sender = senderWith(strict, async () => addresses)
        await assertNoneConnected(sender, [`http://shop.example${port}/`, `https://shop.example${port}/`])
      }
    }
  })

  test('for names that are loopback by definition', async () => {
    const hosts = ['localhost', 'LOCALHOST', 'localhost.', 'shop.localhost', 'a.b.localhost.']
    await assertNoneConnected(senderWith(strict), urlsOf(hosts, [port]))
  })

  test('but to the address that was judged, of a name that changes it between check and connect (rebinding)', async () => {
    const shop = await openReceiver()
    let lookups = 0
    const resolve: ResolveHost = async () => {
      lookups += 1
      return lookups === 1 ? ['127.0.0.1'] : ['127.0.0.2', '::1']
    }
    // The shop's address stands for a public one.
    const sender = senderWith(new AddressGuard({ allowAll: false, allow: ['127.0.0.1/32'] }), resolve)
    const asked = connects
    const result = await sendTo(sender, `http://shop.example:${new URL(shop.url).port}/`)
    sender.close()
    assert.equal(result.kind, 'answered')
    assert.deepEqual([lookups, connects - asked, shop.connections], [1, 1, 1])
    await shop.close()
  })

  test('for a name that turns from a public address to a special one between two deliveries', async () => {
    const shop = await openReceiver((_request, response) => {
      response.writeHead(200, { connection: 'close' }).end()
    })
    let isFirst = true
    const resolve: ResolveHost = async () => {
      const answer = isFirst ? ['127.0.0.1'] : ['10.0.0.1', '127.0.0.2', '::1']
      isFirst = false
      return answer
    }
    // The shop's address stands for a public one.
    const sender = senderWith(new AddressGuard({ allowAll: false, allow: ['127.0.0.1/32'] }), resolve)
    const url = `http://shop.example:${new URL(shop.url).port}/`
    assert.equal((await sendTo(sender, url)).kind, 'answered')
    await assertNoneConnected(sender, [url])
    assert.equal(shop.connections, 1)
    await shop.close()
  })

  test('by a redirect of a receiver that may be connected to', async () => {
    const targets = [...literalsV4, ...literalsV6, 'localhost'].filter((_one, i) => i % 7 === 0)
    const shop = await openReceiver((request, response) => {
      const [, status = '', target = ''] = request.path.split('/').map(decodeURIComponent)
      response.writeHead(Number(status), { location: `http://${target}${port}/`, refresh: `0; url=http://${target}/` })
      response.end()
    })
    const sender = senderWith(new AddressGuard({ allowAll: false, allow: ['127.0.0.1/32'] }))
    const heard = loopback.connections
    const asked = connects
    let sent = 0
    for (const status of [201, 300, 301, 302, 303, 307, 308]) {
      // The first target is one that the guard would even allow.
      for (const target of ['127.0.0.1', ...targets.slice(0, 10)]) {
        const result = await sendTo(sender, `${shop.url}/${status}/${encodeURIComponent(target)}`)
        assert.equal(result.kind === 'answered' && result.httpStatus, status, target)
        sent += 1
      }
    }
    sender.close()
    assert.equal(loopback.connections, heard)
    assert.equal(shop.requests.length, sent)
    assert.ok(connects - asked <= sent, 'more connections than deliveries')
    await shop.close()
  })
})
