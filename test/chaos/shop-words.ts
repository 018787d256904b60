import { decimalOf, roundedDown, roundedUp } from './shop-amounts.js'
import type { ModelInvoice, ModelPayment } from './shop-model.js'

/** What the page of a payment must say. */
export interface Words {
  readonly words: string[]
  /** What it must ask for; null for nothing. */
  readonly due: string | null
  /** The figures that it may have besides those of transactions. */
  readonly figures: readonly string[]
}

/** `strays`: what it must tell of in other coins. */
export function wordsOf(
  { amount, voidedAt, acceptedAt, expiresAt }: ModelInvoice,
  { own, ownPending }: ModelPayment,
  coin: string,
  strays: readonly string[],
): Words {
  const sum = (atoms: bigint) => `${decimalOf(atoms)} ${coin}`
  const say = (words: string[], sums: readonly bigint[], due: bigint | null = null): Words => {
    const figures = [roundedUp(amount), ...sums].map(sum)
    words.push(...strays.map((stray) => `${stray} arrived on`))
    return { words, due: due === null ? null : sum(due), figures }
  }
  if (voidedAt !== null) {
    const words = ['This invoice is no longer payable.']
    if (voidedAt === expiresAt) words.push('The time to pay is over.')
    if (own === 0n && ownPending === 0n && strays.length === 0) words.push('Nothing was received.')
    if (own > 0n) words.push(`${sum(own)} was received.`)
    if (ownPending > 0n) words.push(`${sum(ownPending)} was seen and waits for confirmation.`)
    return say(words, [own, ownPending])
  }
  const missing = amount > own ? amount - own : 0n
  if (acceptedAt !== null || missing === 0n) {
    const filling = acceptedAt === null ? 0n : missing
    const coming = ownPending > filling ? ownPending - filling : 0n
    const excess = roundedDown(own > amount ? own - amount : 0n) + coming
    if (excess === 0n) return say(['Paid. Nothing more is due.'], [own])
    const verb = coming > 0n ? 'seen' : 'received'
    return say([`Paid. ${sum(excess)} too much was ${verb}.`], [own, excess])
  }
  const seen = own + ownPending
  const left = roundedUp(missing - ownPending)
  if (left <= 0n) {
    const words = [`${sum(seen)} seen, nothing more to send`]
    if (left < 0n) words.push(`It is ${sum(-left)} too much.`)
    return say(words, [seen, -left])
  }
  if (seen === 0n) return say(['No payment seen yet'], [], roundedUp(amount))
  return say([`${sum(seen)} seen, ${sum(left)} more to send`], [seen, left], left)
}
