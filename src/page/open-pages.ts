import { inPieces } from '../base/pieces.js'
import { Listeners } from './listeners.js'
import { OpenPage } from './open-page.js'
import type { PageName } from './page-name.js'

/** Pages that may wait for changes at once. */
const OPEN_PAGES_MAX = 10_000

/** How many of them one client may have; the rest of its pages refresh themselves now and then. */
export const OPEN_PAGES_PER_CLIENT_MAX = 200

/** Pause between two signs of life. Proxies cut what is silent for longer, usually after a minute. */
export const BEAT_MS = 15_000

/** Invoices and orders that are read before other work has its turn. */
const READ_AT_ONCE = 32

/** Pages that are told something before other work has its turn: each is a write to a socket. */
export const TOLD_AT_ONCE = 50

/** Invoices and orders on changed wallets that are noted before other work has its turn. */
const NOTED_AT_ONCE = 2000

/** Pause between two looks at what blocks have confirmed, of which no commit says which wallets it concerns. */
export const CONFIRMING_EVERY_MS = 1000

/** Pages that are looked at then, in turn: no more pages than these ask for their new version in that time. */
export const CONFIRMING_PAGES_MAX = 100

/** What a page shows. */
export interface PageState {
  /** A short text that changes with it. */
  readonly version: string
  /** Whether blocks alone may change it. */
  readonly isConfirming: boolean
}

export interface OpenPagesOptions {
  /** Undefined if there is no such page. */
  readonly stateOf: (page: PageName) => Promise<PageState | undefined>
  readonly onError: (error: unknown) => void
  readonly pageLimit?: number
}

/** What a page waits for. */
export interface Waiting {
  readonly page: PageName
  /** Wallets and invoices that may change it. */
  readonly walletIds: readonly string[]
  readonly invoiceIds: readonly string[]
  /** What the page shows already; null if that is not known. */
  readonly seen: string | null
  /** The client that it counts for; null for one without a limit. */
  readonly client: string | null
}

/**
 * The payment pages that are open in browsers. Each holds a stream of server-sent events (HTML, 9.2), which says when there
 * is something new to show; the page then asks for it as for any page. So a stream costs little, and knows no language.
 *
 * A commit names the invoices whose own deposits it changed, and the wallets all of whose invoices it may concern. Each invoice and each
 * order is read once, however many pages show it.
 */
export class OpenPages {
  private readonly subjects = new Map<string, Subject>()
  private readonly onWallets = new Listeners<Subject>()
  private readonly onInvoices = new Listeners<Subject>()
  private readonly clients = new Map<string, number>()
  /** Wallets that changed, whose pages have not been noted yet. */
  private readonly changedWallets = new Set<string>()
  private readonly stale = new Set<Subject>()
  /** What blocks alone may change, the one that was read longest ago first. */
  private readonly confirming = new Set<Subject>()
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
  open(waiting: Waiting): AsyncIterable<string> | null {
    const { page: name, seen, client } = waiting
    const { pageLimit = OPEN_PAGES_MAX } = this.options
    const ofClient = client === null ? 0 : (this.clients.get(client) ?? 0)
    if (this.isClosed || this.count >= pageLimit || ofClient >= OPEN_PAGES_PER_CLIENT_MAX) return null
    const subject = this.subjects.get(name) ?? this.listen(waiting)
    const page = new OpenPage(seen, () => this.leave(subject, page, client))
    subject.pages.add(page)
    this.count += 1
    if (client !== null) this.clients.set(client, ofClient + 1)
    // What changed since the page was made, or before it was listened for, is found by reading once more.
    this.read([subject])
    return page
  }

  /** Tells the pages that these wallets may change what is new. */
  changed(walletIds: Iterable<string>): void {
    for (const walletId of walletIds) if (this.onWallets.has(walletId)) this.changedWallets.add(walletId)
    if (this.isNoting || this.changedWallets.size === 0) return
    this.isNoting = true
    this.noteChanged().catch(this.options.onError)
  }

  /** Tells the pages of these invoices what is new. */
  ownChanged(invoiceIds: Iterable<string>): void {
    for (const invoiceId of invoiceIds) this.read(this.onInvoices.of(invoiceId))
  }

  /** Ends all pages, and takes no more. */
  close(): void {
    this.isClosed = true
    clearInterval(this.beating)
    clearInterval(this.looking)
    for (const subject of [...this.subjects.values()]) for (const page of [...subject.pages]) page.end()
  }

  private listen({ page: name, walletIds, invoiceIds }: Waiting): Subject {
    const subject: Subject = { name, walletIds, invoiceIds, pages: new Set() }
    this.subjects.set(name, subject)
    this.onWallets.add(walletIds, subject)
    this.onInvoices.add(invoiceIds, subject)
    return subject
  }

  private leave(subject: Subject, page: OpenPage, client: string | null): void {
    subject.pages.delete(page)
    this.count -= 1
    if (client !== null) {
      const left = (this.clients.get(client) ?? 0) - 1
      if (left > 0) this.clients.set(client, left)
      else this.clients.delete(client)
    }
    if (subject.pages.size > 0) return
    this.subjects.delete(subject.name)
    this.stale.delete(subject)
    this.confirming.delete(subject)
    this.onWallets.remove(subject.walletIds, subject)
    this.onInvoices.remove(subject.invoiceIds, subject)
  }

  /** Many pages may be about the same many wallets. */
  private async noteChanged(): Promise<void> {
    try {
      await inPieces(this.onChangedWallets(), NOTED_AT_ONCE, (subject) => this.read([subject]))
    } finally {
      this.isNoting = false
    }
  }

  private *onChangedWallets(): Generator<Subject> {
    for (const walletId of this.changedWallets) {
      // Before its pages are noted: a change meanwhile makes them stale again.
      this.changedWallets.delete(walletId)
      yield* this.onWallets.of(walletId)
    }
  }

  private read(subjects: Iterable<Subject>): void {
    for (const subject of subjects) this.stale.add(subject)
    if (this.isReading || this.stale.size === 0) return
    this.isReading = true
    // Not in the commit's own turn: its callers are answered first.
    setImmediate(() => this.readSome().catch(this.options.onError))
  }

  private async readSome(): Promise<void> {
    try {
      let left = READ_AT_ONCE
      for (const subject of this.stale) {
        if (left === 0) break
        left -= 1
        // Before it is read: a change meanwhile makes it stale again.
        this.stale.delete(subject)
        const state = await this.options.stateOf(subject.name)
        this.confirming.delete(subject)
        if (state === undefined || subject.pages.size === 0) continue
        if (state.isConfirming) this.confirming.add(subject)
        await inPieces(subject.pages, TOLD_AT_ONCE, (page) => page.tell(state.version))
      }
    } finally {
      this.isReading = false
      this.read([])
    }
  }

  private lookAtSome(): void {
    let left = CONFIRMING_PAGES_MAX
    for (const subject of this.confirming) {
      if (left <= 0) return
      left -= subject.pages.size
      this.read([subject])
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
    for (const { pages } of this.subjects.values()) yield* pages
  }
}

/** An invoice or an order whose page is open somewhere. */
interface Subject {
  readonly name: PageName
  readonly walletIds: readonly string[]
  readonly invoiceIds: readonly string[]
  readonly pages: Set<OpenPage>
}
