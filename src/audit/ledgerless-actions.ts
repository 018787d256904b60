import type { AddedIdentity } from '../domain/added-identity.js'
import { type AuditEnd, DONE, type Operator } from '../domain/audit.js'
import {
  DERIVED_INDEX_MAX,
  type DerivedOutcome,
  type DerivedSeries,
  type DerivedWallets,
  derivedPrefix,
  derivedWalletId,
} from '../domain/derived-wallet.js'
import { type Outcome, refuse, succeed } from '../domain/failure.js'
import type { LedgerFact } from '../domain/ledger-fact.js'
import type { Networks } from '../domain/network.js'
import { parseOwner } from '../domain/text.js'
import type { LedgerPort } from '../store/ledger.js'
import type { WalletPort } from '../store/wallets.js'
import type { AuditTrail } from './trail.js'

export interface LedgerlessParts {
  readonly store: {
    readonly ledger: Pick<LedgerPort, 'applyFacts'>
    readonly wallets: Pick<WalletPort, 'at' | 'lastDerived'>
    readonly networks: Networks
  }
  /** Tells whether an identity exists, here or on a ledger that is asked. */
  readonly identities: { exists(id: string): Promise<boolean | 'ledger_unreachable' | 'overloaded'> }
  readonly trail: AuditTrail
}

/** What operators do in the place of a ledger: they make identities exist, and assign wallets. Each answers when it is on disk, with its trace. */
export class LedgerlessActions {
  constructor(private readonly parts: LedgerlessParts) {}

  async addIdentity(operator: Operator, id: string): Promise<Outcome<AddedIdentity>> {
    const identity = parseOwner(id)
    if (identity === null) return refuse('invalid_identity')
    const action = { ...operator, action: 'identity.add', owner: identity, subject: identity }
    return await this.parts.trail.follow(
      action,
      async () => {
        const [outcome] = await this.applied([{ type: 'identity.onboarded', identity }])
        if (outcome === undefined || outcome.status === 'refused') return refuse('invalid_identity')
        return succeed({ identity, added: outcome.status === 'added' })
      },
      (outcome) => (outcome.ok ? endOf(outcome.value.added ? 'added' : 'known already') : refusedBy(outcome)),
    )
  }

  /** How far the wallets of a key go on each network to which wallets can be added. */
  async seriesOf(keyName: string): Promise<readonly DerivedSeries[]> {
    const { networks, wallets } = this.parts.store
    const present = networks.all.filter(({ isRetired }) => !isRetired)
    const read = async ({ id: network, kind }: (typeof present)[number]) => {
      const last = await wallets.lastDerived(derivedPrefix(keyName, network))
      return { network, kind, next: last === null ? 0 : last + 1 }
    }
    return await Promise.all(present.map(read))
  }

  /** Makes addresses wallets of an owner; an outcome for each. One that is a wallet already keeps its owner. */
  async addDerived(operator: Operator, derived: DerivedWallets): Promise<Outcome<readonly DerivedOutcome[]>> {
    const { keyName, network, first, addresses } = derived
    const last = first + addresses.length - 1
    if (!(first >= 0 && last <= DERIVED_INDEX_MAX)) return refuse('malformed_request')
    const prefix = derivedPrefix(keyName, network)
    const subject = `${prefix}${first} to ${last}`
    const action = { ...operator, action: 'wallets.derive', owner: derived.owner, subject }
    return await this.parts.trail.follow(
      action,
      async () => {
        const owner = parseOwner(derived.owner)
        if (owner === null) return refuse('invalid_identity')
        const existence = await this.parts.identities.exists(owner)
        if (existence !== true) return refuse(existence === false ? 'unknown_identity' : existence)
        const wallets = addresses.map((address, i) => ({ id: derivedWalletId(prefix, first + i), address }))
        const fact = { type: 'wallet.assigned', network, owner, keepsOwner: true } as const
        const outcomes = await this.applied(wallets.map((wallet) => ({ ...fact, ...wallet })))
        return succeed(await Promise.all(outcomes.map((outcome, i) => this.explained(outcome, wallets[i], network))))
      },
      (outcome) => (outcome.ok ? endOf(countsOf(outcome.value)) : refusedBy(outcome)),
    )
  }

  /** Applies facts in order. Rejects when one could not be written; those before it are then on disk. */
  private async applied(facts: readonly LedgerFact[]): Promise<readonly DerivedOutcome[]> {
    const fates = await this.parts.store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
    return fates.map((fate) => {
      if (fate.status === 'rejected') throw fate.reason
      const { value } = fate
      if (value.status === 'rejected') return { status: 'refused', error: value.error }
      return { status: value.status === 'applied' ? 'added' : 'known' }
    })
  }

  /** A refusal names the wallet that is in the way, and whose it is. */
  private async explained(
    outcome: DerivedOutcome,
    wallet: { readonly id: string; readonly address: string } | undefined,
    network: string,
  ): Promise<DerivedOutcome> {
    if (outcome.status !== 'refused' || wallet === undefined) return outcome
    const holder = await this.parts.store.wallets.at(network, wallet.address)
    if (holder === undefined) return outcome
    const whose = holder.owner === null ? 'nobody' : holder.owner
    return { status: 'refused', error: `it is the address of the wallet ${holder.id}, which belongs to ${whose}` }
  }
}

function endOf(detail: string): AuditEnd {
  return { ...DONE, detail }
}

function refusedBy(outcome: Extract<Outcome<unknown>, { readonly ok: false }>): AuditEnd {
  return { outcome: 'refused', detail: outcome.failure.code }
}

function countsOf(outcomes: readonly DerivedOutcome[]): string {
  const count = (status: DerivedOutcome['status']) => outcomes.filter((one) => one.status === status).length
  return `${count('added')} added, ${count('known')} known already, ${count('refused')} refused`
}
