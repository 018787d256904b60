import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { ServiceFixture } from '../support/service-fixture.js'

const WALLET = { id: 'w', address: '0xabcd000000000000000000000000000000000001', network: 'SEP' }

/** The events of a page as a browser reads them. */
class Events {
  private text = ''
  private isOver = false
  private wake: (() => void) | undefined

  private constructor(
    readonly status: number,
    private readonly answer: IncomingMessage,
  ) {
    answer.setEncoding('utf8')
    answer.on('data', (chunk: string) => {
      this.text += chunk
      this.wake?.()
    })
    for (const end of ['end', 'error', 'close']) {
      answer.on(end, () => {
        this.isOver = true
        this.wake?.()
      })
    }
  }

  static open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Events> {
    return new Promise((resolve, reject) => {
      get(url, { headers, agent: false }, (answer) => resolve(new Events(answer.statusCode ?? 0, answer))).on(
        'error',
        reject,
      )
    })
  }

  /** Takes the next event, whichever it is. */
  async next(): Promise<string> {
    while (!this.text.includes('\n\n')) {
      assert.equal(this.isOver, false, 'the stream has ended')
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
    const [event = '', ...rest] = this.text.split('\n\n')
    this.text = rest.join('\n\n')
    return event
  }

  /** Whether the service has ended the answer; it is not when the connection was cut. */
  get isComplete(): boolean {
    return this.answer.complete
  }

  async end(): Promise<void> {
    while (!this.isOver) {
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }

  close(): void {
    this.answer.destroy()
  }
}

for (const engine of HTTP_ENGINES) {
  describe(`an open payment page over ${engine}`, { concurrency: true }, () => {
    async function withInvoice(work: (fixture: ServiceFixture, id: string) => Promise<void>): Promise<void> {
      const fixture = await ServiceFixture.start({ BILLHOOK_HTTP: engine })
      let isStopped = false
      const stop = fixture.stop.bind(fixture)
      fixture.stop = async () => {
        if (!isStopped) await stop()
        isStopped = true
      }
      try {
        await fixture.assign('shop', WALLET)
        const body = { owner: 'shop', walletIds: [WALLET.id], name: 'Tea', amount: '25', currency: 'native' }
        const created = await fixture.post('/api/invoices', body)
        assert.equal(created.status, 201, created.text)
        await work(fixture, created.json.id)
      } finally {
        await fixture.stop()
      }
    }

    async function deposit(fixture: ServiceFixture, type: string, txHash: string, amount: string): Promise<void> {
      const receivedAt = Date.now() + 1000
      const { address: toAddress, network } = WALLET
      const [result] = await fixture.push({
        id: `${type} ${txHash}`,
        type,
        deposit: { network, txHash, toAddress, currency: '#native', amount, receivedAt },
      })
      assert.equal(result?.status, 'applied', JSON.stringify(result))
    }

    async function versionShown(fixture: ServiceFixture, id: string): Promise<string> {
      return /data-version="([^"]+)"/.exec((await fixture.get(`/pay/${id}`)).text)?.[1] ?? assert.fail('no version')
    }

    test('hears of a deposit without asking, and the page then shows what it heard of', async () => {
      await withInvoice(async (fixture, id) => {
        const before = await versionShown(fixture, id)
        const events = await Events.open(`${fixture.url}/pay/${id}/events?after=${before}`)
        assert.equal(await events.next(), 'retry: 2000')
        for (const [type, txHash, amount] of [
          ['deposit.pending', '0x1', '10'],
          ['deposit.confirmed', '0x1', '10'],
          ['deposit.pending', '0x2', '15'],
        ] as const) {
          await deposit(fixture, type, txHash, amount)
          const version = /^data: (.*)$/m.exec(await events.next())?.[1]
          assert.equal(version, await versionShown(fixture, id))
        }
        events.close()
      })
    })

    test('is told what it missed when it connects again', async () => {
      await withInvoice(async (fixture, id) => {
        const before = await versionShown(fixture, id)
        await deposit(fixture, 'deposit.pending', '0x1', '10')
        const events = await Events.open(`${fixture.url}/pay/${id}/events`, { 'Last-Event-ID': before })
        assert.equal(await events.next(), 'retry: 2000')
        assert.match(await events.next(), /^id: .*\nevent: changed\n/)
        events.close()
      })
    })

    test('gets signs of life for as long as nothing changes', async () => {
      await withInvoice(async (fixture, id) => {
        const events = await Events.open(`${fixture.url}/pay/${id}/events?after=${await versionShown(fixture, id)}`)
        assert.equal(await events.next(), 'retry: 2000')
        // Longer than a connection may be silent between two requests.
        assert.equal(await events.next(), 'event: beat\ndata: 1')
        events.close()
      })
    })

    test('does not hold up a stop, and is ended by it', async () => {
      await withInvoice(async (fixture, id) => {
        const events = await Events.open(`${fixture.url}/pay/${id}/events?after=${await versionShown(fixture, id)}`)
        assert.equal(await events.next(), 'retry: 2000')
        await Promise.all([fixture.stop(), events.end()])
        // Answers that do not end are cut after 5 seconds.
        assert.equal(events.isComplete, true)
      })
    })

    test('is forgotten when its browser is gone', async () => {
      await withInvoice(async (fixture, id) => {
        const events = await Events.open(`${fixture.url}/pay/${id}/events`)
        await events.next()
        events.close()
        await deposit(fixture, 'deposit.pending', '0x1', '10')
        assert.equal((await fixture.get('/readyz')).status, 200)
      })
    })
  })
}
