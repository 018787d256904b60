import type { Commit } from '../commit/commit-loop.js'
import type { SetNo } from '../tables/names.js'
import { firstKey } from '../tables/tables.js'
import { behind, type IndexedInvoice, openPrefix, type Place, setNoOfOpenKey } from './invoice-places.js'

/*
 * The sets of wallets that have open invoices on each wallet. All of it can be read from `open-invoices`; what the caches
 * hold saves a creation from reading it for each of its wallets.
 */

/** Whether a set has an open invoice; `place` is any of its wallets. */
export function hasOpenInvoice({ tables, caches }: Commit, place: Place, setNo: SetNo): boolean {
  const { holders } = caches.openSets
  const known = holders.get(setNo)
  if (known !== undefined) return known
  const prefix = openPrefix(place, setNo)
  const found = firstKey(tables.openInvoices, prefix, behind(prefix)) !== undefined
  holders.set(setNo, found)
  return found
}

/** The sets that have open invoices at a place. */
export function* openSetsAt({ tables }: Commit, place: Place): Generator<SetNo> {
  const end = behind(place)
  for (let key = firstKey(tables.openInvoices, place, end); key !== undefined; ) {
    const setNo = setNoOfOpenKey(key)
    yield setNo
    key = firstKey(tables.openInvoices, behind(openPrefix(place, setNo)), end)
  }
}

export function countOpenSetsAt(commit: Commit, place: Place): number {
  const { counts } = commit.caches.openSets
  const name = nameOf(place)
  const known = counts.get(name)
  if (known !== undefined) return known
  const count = [...openSetsAt(commit, place)].length
  counts.set(name, count)
  return count
}

/** Call it before an open invoice of the set is entered. */
export function setEnters(commit: Commit, { places, setNo }: IndexedInvoice): void {
  const [first] = places
  if (first === undefined || hasOpenInvoice(commit, first, setNo)) return
  commit.caches.openSets.holders.set(setNo, true)
  for (const place of places) adjust(commit, place, 1)
}

/** Call it when an open invoice of the set has left. */
export function setLeaves(commit: Commit, { places, setNo }: IndexedInvoice): void {
  forgetFull(commit)
  const [first] = places
  commit.caches.openSets.holders.delete(setNo)
  if (first === undefined || hasOpenInvoice(commit, first, setNo)) return
  for (const place of places) adjust(commit, place, -1)
}

export function isKnownFull({ caches }: Commit, place: Place): boolean {
  return caches.openSets.full.has(nameOf(place))
}

/** Notes that a place has no room until something is confirmed on these wallets. */
export function noteFull({ caches }: Commit, place: Place, walletIds: Iterable<string>): void {
  caches.openSets.full.add(nameOf(place))
  for (const id of walletIds) caches.openSets.deciding.add(id)
}

/** More was confirmed on a wallet than before, or its address became known. */
export function depositsChanged(commit: Commit, walletId: string): void {
  if (commit.caches.openSets.deciding.has(walletId)) forgetFull(commit)
}

function adjust({ caches }: Commit, place: Place, by: number): void {
  const name = nameOf(place)
  const known = caches.openSets.counts.get(name)
  if (known !== undefined) caches.openSets.counts.set(name, known + by)
}

function forgetFull({ caches }: Commit): void {
  caches.openSets.full.clear()
  caches.openSets.deciding.clear()
}

function nameOf(place: Place): string {
  return place.toString('latin1')
}
