import fc from 'fast-check'
import type { DepositReport } from '../../../src/domain/deposit.js'

const OWNERS = ['A', 'B'] as const
/** `late` has an owner from the start and an address only later; `stray` is known only later. */
const WALLETS = ['w0', 'w1', 'late', 'stray'] as const
const CURRENCIES = ['native', 'USDT', 'USDC'] as const
/** The last one is that of no currency. */
const LABELS = ['#native', '#native', null, 'Tether', 'USDC', 'DAI'] as const
/** Ways to write the same amount. */
export const AMOUNT_FORMS = [(n: bigint) => `${n}`, (n: bigint) => `0${n}.0`, (n: bigint) => `${n}.00`] as const

/** One step of a history. Names are short; `play` gives every history names of its own. */
export type Step =
  | { readonly do: 'wait'; readonly ms: number }
  | {
      readonly do: 'invoice'
      readonly owner: (typeof OWNERS)[number]
      readonly wallets: readonly string[]
      readonly amount: bigint
      readonly form: number
      readonly currency: (typeof CURRENCIES)[number]
      readonly reference: 'new' | 'used' | 'none'
      readonly hasCallback: boolean
      /** Null: never. */
      readonly expiresInSeconds: number | null
    }
  | { readonly do: 'void' | 'accept'; readonly owner: (typeof OWNERS)[number]; readonly position: number }
  | {
      readonly do: 'deposit'
      readonly report: DepositReport
      readonly key: number
      readonly wallet: string
      readonly label: (typeof LABELS)[number]
      readonly amount: bigint
      readonly offsetMs: number
    }
  | { readonly do: 'assign'; readonly wallet: string; readonly owner: (typeof OWNERS)[number] }
  | { readonly do: 'place'; readonly wallet: 'late' | 'stray' }
  | { readonly do: 'default'; readonly owner: (typeof OWNERS)[number]; readonly isSet: boolean }

/** How a kind of history is composed. */
export interface Profile {
  readonly waitMs: fc.Arbitrary<number>
  readonly wallets: fc.Arbitrary<readonly string[]>
  readonly depositWallet: fc.Arbitrary<string>
  readonly owner: fc.Arbitrary<(typeof OWNERS)[number]>
  /** Greatest amount of an invoice. Few make collisions likely, many let more invoices be open at once. */
  readonly amountMax: bigint
  readonly currency: fc.Arbitrary<(typeof CURRENCIES)[number]>
  readonly reference: fc.Arbitrary<'new' | 'used' | 'none'>
  readonly label: fc.Arbitrary<(typeof LABELS)[number]>
  readonly offsetMs: fc.Arbitrary<number>
  /** Weight of the steps that change wallets and callbacks. */
  readonly changes: number
}

/** Everything that can happen, now and then. */
export const WIDE: Profile = {
  waitMs: fc.integer({ min: -4, max: 9 }),
  wallets: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(['w0'], ['w1'], ['w0', 'w1'], ['w1', 'w0']) },
    { weight: 1, arbitrary: fc.shuffledSubarray([...WALLETS], { minLength: 1 }) },
  ),
  depositWallet: fc.constantFrom('w0', 'w0', 'w1', 'w1', 'late', 'stray'),
  owner: fc.constantFrom('A', 'A', 'A', 'B'),
  amountMax: 4n,
  currency: fc.constantFrom('native', 'native', ...CURRENCIES),
  reference: fc.constantFrom('new', 'new', 'new', 'new', 'new', 'new', 'used', 'none'),
  label: fc.constantFrom(...LABELS),
  offsetMs: fc.integer({ min: -12, max: 8 }),
  changes: 1,
}

/** Many invoices and deposits on one or two wallets, so that payments, reorganisations and equal amounts meet. */
export const CROWDED: Profile = {
  waitMs: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 0, max: 4 }) },
    { weight: 1, arbitrary: fc.integer({ min: -9, max: -1 }) },
  ),
  wallets: fc.constantFrom(['w0'], ['w0'], ['w0'], ['w0'], ['w0', 'w1']),
  depositWallet: fc.constantFrom('w0', 'w0', 'w0', 'w0', 'w0', 'w1'),
  owner: fc.constant('A'),
  amountMax: 12n,
  currency: fc.constant('native'),
  reference: fc.constantFrom('new', 'new', 'new', 'new', 'new', 'none'),
  label: fc.constant('#native'),
  offsetMs: fc.integer({ min: -5, max: 3 }),
  changes: 0,
}

/** The steps that a history of the profile is made of. */
export function stepOf(profile: Profile): fc.Arbitrary<Step> {
  const owner = fc.constantFrom(...OWNERS)
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: profile.waitMs }) },
    {
      weight: 9,
      arbitrary: fc.record({
        do: fc.constant('invoice' as const),
        owner: profile.owner,
        wallets: profile.wallets,
        amount: fc.bigInt({ min: 1n, max: profile.amountMax }),
        form: fc.nat({ max: AMOUNT_FORMS.length - 1 }),
        currency: profile.currency,
        reference: profile.reference,
        hasCallback: fc.constantFrom(true, true, true, false),
        expiresInSeconds: fc.constantFrom(null, null, null, 60, 61),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom('void' as const, 'accept' as const),
        owner: profile.owner,
        position: fc.nat({ max: 40 }),
      }),
    },
    // Past an expiry, now and then.
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 20_000, max: 61_000 }) }),
    },
    {
      weight: 10,
      arbitrary: fc.record({
        do: fc.constant('deposit' as const),
        report: fc.constantFrom('pending', 'confirmed', 'confirmed', 'dropped'),
        key: fc.nat({ max: 24 }),
        wallet: profile.depositWallet,
        label: profile.label,
        amount: fc.bigInt({ min: 1n, max: 5n }),
        offsetMs: profile.offsetMs,
      }),
    },
    {
      weight: profile.changes,
      arbitrary: fc.record({ do: fc.constant('assign' as const), wallet: fc.constantFrom(...WALLETS), owner }),
    },
    {
      weight: profile.changes,
      arbitrary: fc.record({ do: fc.constant('place' as const), wallet: fc.constantFrom('late', 'stray') }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('default' as const), owner, isSet: fc.constantFrom(true, true, false) }),
    },
  )
}
