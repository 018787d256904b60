import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { type CrowdClient, type CrowdOption, depositTo, WALLETS, walletsOf } from './crowd-client.js'
import { Expiring, type Expiry } from './crowd-expiring.js'
import { httpRequest } from './loaded-service.js'

/** The most that an order may have. */
const OPTIONS = 10
/** Options of one currency share no wallet. */
const OPTIONS_EACH = OPTIONS / 2
/** Wallets of the widest order. */
const WIDEST_WALLETS = OPTIONS_EACH * WALLETS
/** Of a coin that none of the orders takes: every one of their pages says what came. */
const STRAY = '0.000001'
const USDT_UNITS = 1_000_000

/** How many orders there are of each kind; less when nothing is judged. */
function sizesOf(isJudged: boolean) {
  return isJudged
    ? { listed: 200, open: 1000, expiring: 1000, completed: 40, shared: 2000, created: 200 }
    : { listed: 5, open: 20, expiring: 20, completed: 2, shared: 40, created: 5 }
}

export interface OrderPlaysParts {
  readonly client: CrowdClient
  readonly url: string
  readonly isJudged: boolean
  /** Has something happen while others are measured. */
  readonly judged: (what: string, happen: () => Promise<string>) => Promise<void>
  /** Has records of an owner expire in one moment while others are measured. */
  readonly expire: (expiry: Expiry) => Promise<void>
  /** Asks for the orders of an owner, 64 times at once, again and again. */
  readonly askLists: (what: string, path: string) => Promise<void>
}

/** What one merchant's orders may cost others: the plays of the crowd that are about orders. */
export class OrderPlays {
  private readonly sizes: ReturnType<typeof sizesOf>

  constructor(private readonly parts: OrderPlaysParts) {
    this.sizes = sizesOf(parts.isJudged)
  }

  async lists(): Promise<void> {
    const { listed } = this.sizes
    const owner = await this.owner('listed', WIDEST_WALLETS)
    await this.parts.client.createOrders(owner, listed, widest(owner))
    const what = `64 lists at once of ${listed} orders of ${OPTIONS} options on 50 wallets each`
    await this.parts.askLists(what, `/api/users/${owner}/orders?limit=1000`)
  }

  async pages(): Promise<void> {
    const { open } = this.sizes
    const { client, url, judged } = this.parts
    const owner = await this.owner('watched')
    const wallets = walletsOf(owner, OPTIONS)
    const options = wallets.map((wallet) => ({ walletIds: [wallet], currency: 'native' }))
    const orders = await client.createOrders(owner, open, options)
    const pages = new OpenPages(url)
    try {
      await pages.open(orders.map(({ id }) => id))
      await judged(`${open} open pages of orders, and what is none of their coins on their wallets`, async () => {
        const [ms] = await Promise.all([
          pages.untilTold(),
          client.deposits(wallets.map((wallet) => depositTo(wallet, '1', client.next()))),
        ])
        return `all told after ${ms.toFixed(0)} ms`
      })
    } finally {
      pages.close()
    }
  }

  async expiries(): Promise<void> {
    const { expiring } = this.sizes
    const owner = await this.owner('expiring-orders')
    await this.parts.expire({
      what: `${expiring} orders of ${OPTIONS} options that expire together`,
      owner,
      recordsAt: (at) => new Expiring(owner, at).orders(expiring, narrow(owner)),
      told: { type: 'order.expired', count: expiring },
    })
  }

  async completions(): Promise<void> {
    const { completed } = this.sizes
    const { client, judged } = this.parts
    const owner = await this.owner('completed', WIDEST_WALLETS)
    const options = widest(owner)
    const orders = await client.createOrders(owner, completed, options)
    const [{ walletIds: [wallet = ''] = [] } = assert.fail('no options')] = options
    await judged(`${completed} deposits that complete orders of ${OPTIONS} options on 50 wallets each`, async () => {
      const paid = orders.map(({ amounts: [amount = ''] }) => depositTo(wallet, unitsOf(amount), client.next()))
      const { status } = await client.deposits(paid)
      return `${status}`
    })
  }

  async settles(): Promise<void> {
    const { shared } = this.sizes
    const { client, judged } = this.parts
    const owner = await this.owner('shared')
    const [first = ''] = walletsOf(owner)
    const options = ['USDT', 'native'].map((currency) => ({ walletIds: [first], currency }))
    await client.createOrders(owner, shared, options)
    await judged(`deposits that pay an option of each of ${shared} orders on a wallet`, async () => {
      await client.deposits([depositTo(first, '900000000000', client.next())])
      const { status } = await client.deposits([depositTo(first, STRAY, client.next(), '#native')])
      return `${status}`
    })
  }

  async creations(): Promise<void> {
    const { created } = this.sizes
    const { client, judged } = this.parts
    const owner = await this.owner('ordering', WIDEST_WALLETS)
    await judged(`${created} creations of orders of ${OPTIONS} options on 50 wallets each`, async () => {
      await client.createOrders(owner, created, widest(owner))
      return 'created'
    })
  }

  /** An owner of a play's own, with wallets. */
  private async owner(name: string, wallets: number = WALLETS): Promise<string> {
    await this.parts.client.assign(name, wallets)
    return name
  }
}

/** As many options as an order may have, on as many wallets each as they may name. */
function widest(owner: string): readonly CrowdOption[] {
  const wallets = walletsOf(owner, WIDEST_WALLETS)
  return ['USDT', 'native'].flatMap((currency) =>
    Array.from({ length: OPTIONS_EACH }, (_, n) => ({
      walletIds: wallets.slice(n * WALLETS, (n + 1) * WALLETS),
      currency,
    })),
  )
}

/** As many options as an order may have, each on one wallet. */
function narrow(owner: string): readonly CrowdOption[] {
  return ['USDT', 'native'].flatMap((currency) =>
    walletsOf(owner, OPTIONS_EACH).map((wallet) => ({ walletIds: [wallet], currency })),
  )
}

function unitsOf(amount: string): string {
  return String(Math.round(Number(amount) * USDT_UNITS))
}

/** The events of pages in browsers, each on a connection of its own. A page that names no version is told the present one first. */
class OpenPages {
  private readonly sockets: Socket[] = []
  private readonly told: (() => void)[] = []

  constructor(private readonly url: string) {}

  /** Resolves when every page has been told what it shows. */
  async open(ids: readonly string[]): Promise<void> {
    const port = Number(new URL(this.url).port)
    for (const [n, id] of ids.entries()) {
      const socket = connect({ port, host: '127.0.0.1' })
      this.sockets.push(socket)
      const isTold = this.nextNews(n)
      let text = ''
      socket.setEncoding('latin1')
      socket.on('data', (more: string) => {
        text += more
        const end = text.lastIndexOf(CHANGED)
        if (end < 0) return
        text = text.slice(end + CHANGED.length)
        this.told[n]?.()
      })
      socket.write(httpRequest('GET', `/order/${id}/events`))
      await isTold
    }
  }

  /** Milliseconds until every page has been told of something new. */
  async untilTold(): Promise<number> {
    const startedAt = performance.now()
    await Promise.all(this.sockets.map((_, n) => this.nextNews(n)))
    return performance.now() - startedAt
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  private nextNews(n: number): Promise<void> {
    return new Promise((resolve) => {
      this.told[n] = resolve
    })
  }
}

const CHANGED = 'event: changed'
