import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createLog } from '../../src/log.js'
import { openRawReceiver, openReceiver } from '../support/receiver.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { SPECIAL_V4, SPECIAL_V6, spellingsOf } from '../support/special-purpose-addresses.js'

const OWNER = 'shop'
const WALLET = { id: 'w', address: '0xaBcd000000000000000000000000000000000001', network: 'SEP' }

interface Listed {
  readonly url: string
  readonly state: string
  readonly httpStatus: number | null
  readonly failure: string | null
}

/** Hears when so many deliveries have been logged, which is after their outcome was recorded. */
class Outcomes {
  private count = 0
  private waiting: { readonly count: number; readonly resolve: () => void } | null = null

  write(line: string): void {
    if (!line.includes('deliveryId')) return
    this.count += 1
    if (this.waiting !== null && this.count >= this.waiting.count) this.waiting.resolve()
  }

  /** Resolves when `more` deliveries have ended since this call. */
  next(more: number): Promise<void> {
    return new Promise((resolve) => {
      this.waiting = { count: this.count + more, resolve }
    })
  }
}

/** A service whose merchants name callback URLs, and that is told of a deposit for each. */
class CallbackFixture {
  private constructor(
    private readonly fixture: ServiceFixture,
    private readonly outcomes: Outcomes,
  ) {}

  static async start(environment: Readonly<Record<string, string>>): Promise<CallbackFixture> {
    const outcomes = new Outcomes()
    const fixture = await ServiceFixture.start(environment, createLog('info', outcomes))
    await fixture.assign(OWNER, WALLET)
    return new CallbackFixture(fixture, outcomes)
  }

  private made = 0

  /** Lets the service deliver to each of the URLs, and answers how each delivery ended, by the URL as it was given. */
  async deliverTo(urls: readonly string[]): Promise<ReadonlyMap<string, Listed>> {
    const start = this.made + 1
    for (const callbackUrl of urls) {
      this.made += 1
      const amount = String(this.made)
      const reply = await this.fixture.post('/api/invoices', {
        owner: OWNER,
        walletIds: [WALLET.id],
        name: 'n',
        amount,
        reference: `r${amount}`,
        callbackUrl,
      })
      assert.equal(reply.status, 201, `${callbackUrl} ${reply.text}`)
    }
    const ended = this.outcomes.next(urls.length)
    const results = await this.fixture.push(
      ...urls.map((_url, i) => {
        const amount = String(start + i)
        const deposit = { network: 'SEP', txHash: `0x${amount}`, toAddress: WALLET.address, currency: null, amount }
        return { id: amount, type: 'deposit.pending', deposit: { ...deposit, receivedAt: Date.now() + 60_000 } }
      }),
    )
    for (const result of results) assert.equal(result.status, 'applied')
    await ended
    const listed: Listed[] = (await this.fixture.get(`/api/users/${OWNER}/webhook/deliveries?limit=1000`)).json
    const found = new Map(listed.map((one) => [one.url, one]))
    for (const url of urls) assert.ok(found.has(url), url)
    return found
  }

  stop(): Promise<void> {
    return this.fixture.stop()
  }
}

describe('a service that listens beyond loopback', () => {
  let open: CallbackFixture
  before(async () => {
    open = await CallbackFixture.start({ BILLHOOK_HOST: '0.0.0.0' })
  })
  after(() => open.stop())

  test('delivers to no special-purpose address, and says so', async () => {
    const ear = await openRawReceiver((socket) => socket.destroy())
    const { port } = new URL(ear.url)
    const hosts = [
      ...SPECIAL_V4.flatMap(([first]) => spellingsOf(first)),
      ...SPECIAL_V6.map(([first]) => `[${first}]`),
      'localhost',
      'shop.localhost',
    ]
    const urls = [...new Set(hosts)].map((host) => `http://${host}:${port}/hook`)
    // The gateway takes a thousand events at a time.
    assert.ok(urls.length > 300 && urls.length <= 1000)
    const ended = await open.deliverTo(urls)
    for (const url of urls) assert.equal(ended.get(url)?.failure, 'refused_address', url)
    assert.equal(ear.connections, 0)
    await ear.close()
  })
})

describe('a service that listens on loopback', () => {
  for (const [what, environment, expected] of [
    ['for this machine alone delivers to this machine', {}, 'delivered'],
    ['behind a proxy does not', { BILLHOOK_TRUSTED_PROXIES: '127.0.0.1/32' }, 'failed'],
    ['under a public URL does not', { BILLHOOK_PUBLIC_URL: 'https://pay.example' }, 'failed'],
    [
      'under a public URL does where the operator allows it',
      { BILLHOOK_PUBLIC_URL: 'https://pay.example', BILLHOOK_CALLBACK_ALLOW: '127.0.0.1/32' },
      'delivered',
    ],
  ] as const) {
    test(what, async () => {
      const service = await CallbackFixture.start(environment)
      const ear = await openReceiver()
      const url = `${ear.url}/hook`
      const ended = await service.deliverTo([url])
      const failure = expected === 'failed' ? 'refused_address' : null
      assert.deepEqual([ended.get(url)?.state, ended.get(url)?.failure], [expected, failure])
      assert.equal(ear.requests.length, expected === 'failed' ? 0 : 1)
      await ear.close()
      await service.stop()
    })
  }
})

describe('a service whose operator allows loopback', () => {
  let local: CallbackFixture
  before(async () => {
    local = await CallbackFixture.start({ BILLHOOK_HOST: '0.0.0.0', BILLHOOK_CALLBACK_ALLOW: '127.0.0.0/8' })
  })
  after(() => local.stop())

  test('connects there, however it is spelled: what refused it was the guard', async () => {
    const ear = await openReceiver()
    const { port } = new URL(ear.url)
    const hosts = ['127.0.0.1', '2130706433', '0x7f000001', '017700000001', '127.1']
    const urls = hosts.map((host) => `http://${host}:${port}/hook`)
    const ended = await local.deliverTo(urls)
    for (const url of urls) assert.equal(ended.get(url)?.state, 'delivered', url)
    assert.equal(ear.requests.length, urls.length)
    await ear.close()
  })

  test('follows no redirect, not even to where it may connect', async () => {
    const ear = await openRawReceiver((socket) => socket.destroy())
    const shop = await openReceiver((request, response) => {
      response.writeHead(Number(request.path.slice(1)), { location: `${ear.url}/` }).end()
    })
    const statuses = [301, 302, 303, 307, 308]
    const ended = await local.deliverTo(statuses.map((status) => `${shop.url}/${status}`))
    for (const status of statuses) {
      const one = ended.get(`${shop.url}/${status}`)
      assert.deepEqual([one?.state, one?.httpStatus], ['failed', status])
    }
    assert.equal(ear.connections, 0)
    assert.equal(shop.requests.length, statuses.length)
    await shop.close()
    await ear.close()
  })

  test('gives up on receivers that drip or never end, and hangs up', async () => {
    const gone: Promise<unknown>[] = []
    const misbehaving = (head: string, go: (socket: Socket) => void) =>
      openRawReceiver((socket) => {
        gone.push(new Promise((resolve) => socket.on('close', resolve)))
        socket.once('data', () => {
          socket.write(head)
          go(socket)
        })
      })
    const drip = (socket: Socket) => {
      const drops = setInterval(() => socket.write('x'), 100)
      socket.on('close', () => clearInterval(drops))
    }
    const pour = (socket: Socket) => {
      const piece = Buffer.alloc(16 * 1024, 'x')
      const more = () => {
        while (!socket.destroyed && socket.write(piece)) {}
      }
      socket.on('drain', more)
      more()
    }
    const receivers = [
      await misbehaving('HTTP/1.1 200 OK\r\nX-Drip: ', drip),
      await misbehaving('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n', drip),
      await misbehaving('HTTP/1.1 200 OK\r\n\r\n', pour),
    ]
    const urls = receivers.map(({ url }) => `${url}/hook`)
    const ended = await local.deliverTo(urls)
    // What drips has not answered within 8 s; of what pours the status counts, and the rest is not read.
    assert.deepEqual(
      urls.map((url) => ended.get(url)?.failure ?? ended.get(url)?.httpStatus),
      ['timeout', 'timeout', 200],
    )
    await Promise.all(gone)
    for (const receiver of receivers) await receiver.close()
  })
})
