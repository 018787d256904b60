import { inPieces } from '../base/pieces.js'

/** The event that the page of an invoice has a new version. */
export function newsOf(version: string): string {
  return `id: ${version}\nevent: changed\ndata: ${version}\n\n`
}

/** Pages that may wait for changes at once. */
const OPEN_PAGES_MAX = 10_000

/** How many of them one client may have; the rest of its pages refresh themselves now and then. */
export const OPEN_PAGES_PER_CLIENT_MAX = 200

/** Pause between two signs of life. Proxies cut what is silent for longer, usually after a minute. */
export const BEAT_MS = 15_000

/** The browser's pause before it connects again. */
const RETRY_MS = 2000

/** Invoices that are read before other work has its turn. */
const READ_AT_ONCE = 32

/** Pages that are told something before other work has its turn: each is a write to a socket. */
export const TOLD_AT_ONCE = 50

/** Invoices on changed wallets that are noted before other work has its turn. */
const NOTED_AT_ONCE = 2000

/** Pause between two looks at what blocks have confirmed, of which no commit says which wallets it concerns. */
export const CONFIRMING_EVERY_MS = 1000

/** Pages whose invoices are looked at then, in turn: no more pages than these ask for their new version in that time. */
export const CONFIRMING_PAGES_MAX = 100

/** What the page of an invoice shows. */
export interface PageState {
  /** A short text that changes with it. */
  readonly version: string
  /** Whether blocks alone may change it. */
  readonly isConfirming: boolean
}

export interface OpenPagesOptions {
  /** Undefined if there is no such invoice. */
  readonly stateOf: (invoiceId: string) => Promise<PageState | undefined>
  readonly onError: (error: unknown) => void
  readonly pageLimit?: number
}

/** What a page waits for. */
export interface Waiting {
  readonly invoiceId: string
  readonly walletIds: readonly string[]
  /** What the page shows already; null if that is not known. */
  readonly seen: string | null
  /** The client that it counts for; null for one without a limit. */
  readonly client: string | null
}

/**
 * The payment pages that are open in browsers. Each holds a stream of server-sent events (HTML, 9.2), which says when there
 * is something new to show; the page then asks for it as for any page. So a stream costs little, and knows no language.
 *
 * A commit names the invoices whose own deposits it changed, and the wallets all of whose invoices it may concern. Each invoice is read
 * once, however many pages show it.
 */
export class OpenPages {
  private readonly invoices = new Map<string, OpenInvoice>()
  /** By wallet. */
  private readonly listeners = new Map<string, Set<OpenInvoice>>()
  private readonly clients = new Map<string, number>()
  /** Wallets that changed, whose invoices have not been noted yet. */
  private readonly changedWallets = new Set<string>()
  private readonly stale = new Set<OpenInvoice>()
  /** Invoices that blocks alone may change, the one that was read longest ago first. */
  private readonly confirming = new Set<OpenInvoice>()
  private readonly beating: NodeJS.Timeout
  private readonly looking: NodeJS.Timeout
  private count = 0
  private isReading = false
  private isNoting = false
  private isBeating = false
  private isClosed = false

  constructor(private readonly options: OpenPagesOptions) {
    this.beating = setInterval(() => this.beat(), BEAT_MS)
    this.beating.unref()
    this.looking = setInterval(() => this.lookAtSome(), CONFIRMING_EVERY_MS)
    this.looking.unref()
  }

  /** Number of open pages. */
  get size(): number {
    return this.count
  }

  /** The events of a page; null if there is no room for one more. */
  open({ invoiceId, walletIds, seen, client }: Waiting): AsyncIterable<string> | null {
    const { pageLimit = OPEN_PAGES_MAX } = this.options
    const ofClient = client === null ? 0 : (this.clients.get(client) ?? 0)
    if (this.isClosed || this.count >= pageLimit || ofClient >= OPEN_PAGES_PER_CLIENT_MAX) return null
    const invoice = this.invoices.get(invoiceId) ?? this.listen(invoiceId, walletIds)
    const page = new OpenPage(seen, () => this.leave(invoice, page, client))
    invoice.pages.add(page)
    this.count += 1
    if (client !== null) this.clients.set(client, ofClient + 1)
    // What changed since the page was made, or before its invoice was listened for, is found by reading once more.
    this.read([invoice])
    return page
  }

  /** Tells the pages of invoices on these wallets what is new. */
  changed(walletIds: Iterable<string>): void {
    for (const walletId of walletIds) if (this.listeners.has(walletId)) this.changedWallets.add(walletId)
    if (this.isNoting || this.changedWallets.size === 0) return
    this.isNoting = true
    this.noteChanged().catch(this.options.onError)
  }

  /** Tells the pages of these invoices what is new. */
  ownChanged(invoiceIds: Iterable<string>): void {
    for (const invoiceId of invoiceIds) {
      const invoice = this.invoices.get(invoiceId)
      if (invoice !== undefined) this.read([invoice])
    }
  }

  /** Ends all pages, and takes no more. */
  close(): void {
    this.isClosed = true
    clearInterval(this.beating)
    clearInterval(this.looking)
    for (const invoice of [...this.invoices.values()]) for (const page of [...invoice.pages]) page.end()
  }

  private listen(invoiceId: string, walletIds: readonly string[]): OpenInvoice {
    const invoice: OpenInvoice = { invoiceId, walletIds, pages: new Set() }
    this.invoices.set(invoiceId, invoice)
    for (const walletId of walletIds) {
      const listeners = this.listeners.get(walletId)
      if (listeners === undefined) this.listeners.set(walletId, new Set([invoice]))
      else listeners.add(invoice)
    }
    return invoice
  }

  private leave(invoice: OpenInvoice, page: OpenPage, client: string | null): void {
    invoice.pages.delete(page)
    this.count -= 1
    if (client !== null) {
      const left = (this.clients.get(client) ?? 0) - 1
      if (left > 0) this.clients.set(client, left)
      else this.clients.delete(client)
    }
    if (invoice.pages.size > 0) return
    this.invoices.delete(invoice.invoiceId)
    this.stale.delete(invoice)
    this.confirming.delete(invoice)
    for (const walletId of invoice.walletIds) {
      const listeners = this.listeners.get(walletId)
      listeners?.delete(invoice)
      if (listeners?.size === 0) this.listeners.delete(walletId)
    }
  }

  /** Many pages may show invoices on the same many wallets. */
  private async noteChanged(): Promise<void> {
    try {
      await inPieces(this.onChangedWallets(), NOTED_AT_ONCE, (invoice) => this.read([invoice]))
    } finally {
      this.isNoting = false
    }
  }

  private *onChangedWallets(): Generator<OpenInvoice> {
    for (const walletId of this.changedWallets) {
      // Before its invoices are noted: a change meanwhile makes them stale again.
      this.changedWallets.delete(walletId)
      yield* this.listeners.get(walletId) ?? []
    }
  }

  private read(invoices: Iterable<OpenInvoice>): void {
    for (const invoice of invoices) this.stale.add(invoice)
    if (this.isReading || this.stale.size === 0) return
    this.isReading = true
    // Not in the commit's own turn: its callers are answered first.
    setImmediate(() => this.readSome().catch(this.options.onError))
  }

  private async readSome(): Promise<void> {
    try {
      let left = READ_AT_ONCE
      for (const invoice of this.stale) {
        if (left === 0) break
        left -= 1
        // Before it is read: a change meanwhile makes it stale again.
        this.stale.delete(invoice)
        const state = await this.options.stateOf(invoice.invoiceId)
        this.confirming.delete(invoice)
        if (state === undefined || invoice.pages.size === 0) continue
        if (state.isConfirming) this.confirming.add(invoice)
        await inPieces(invoice.pages, TOLD_AT_ONCE, (page) => page.tell(state.version))
      }
    } finally {
      this.isReading = false
      this.read([])
    }
  }

  private lookAtSome(): void {
    let left = CONFIRMING_PAGES_MAX
    for (const invoice of this.confirming) {
      if (left <= 0) return
      left -= invoice.pages.size
      this.read([invoice])
    }
  }

  private beat(): void {
    if (this.isBeating) return
    this.isBeating = true
    const done = () => {
      this.isBeating = false
    }
    inPieces(this.everyPage(), TOLD_AT_ONCE, (page) => page.beat()).then(done, this.options.onError)
  }

  private *everyPage(): Generator<OpenPage> {
    for (const { pages } of this.invoices.values()) yield* pages
  }
}

/** An invoice whose page is open somewhere. */
interface OpenInvoice {
  readonly invoiceId: string
  readonly walletIds: readonly string[]
  readonly pages: Set<OpenPage>
}

/** The events of one page. At most one waits to be sent: a later version replaces it, and a beat waits for nothing. */
class OpenPage implements AsyncIterableIterator<string> {
  /** The first one makes the head of the answer go out, unless there is news by then. */
  private unsent: string | null = `retry: ${RETRY_MS}\n\n`
  private wake: ((result: IteratorResult<string>) => void) | null = null
  private isEnded = false

  constructor(
    private seen: string | null,
    private readonly onEnd: () => void,
  ) {}

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<string>> {
    if (this.isEnded) return Promise.resolve(DONE)
    const value = this.unsent
    if (value !== null) {
      this.unsent = null
      return Promise.resolve({ done: false, value })
    }
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }

  return(): Promise<IteratorResult<string>> {
    this.end()
    return Promise.resolve(DONE)
  }

  tell(version: string): void {
    if (version === this.seen) return
    this.seen = version
    this.send(newsOf(version))
  }

  beat(): void {
    if (this.unsent === null) this.send('event: beat\ndata: 1\n\n')
  }

  end(): void {
    if (this.isEnded) return
    this.isEnded = true
    this.onEnd()
    this.wake?.(DONE)
    this.wake = null
  }

  private send(event: string): void {
    const { wake } = this
    if (wake === null) {
      this.unsent = event
      return
    }
    this.wake = null
    wake({ done: false, value: event })
  }
}

const DONE: IteratorResult<string> = { done: true, value: undefined }
