import { createHash } from 'node:crypto'
import type { IdentityChange, LedgerArchive, WalletChange } from './ledger-archive.js'
import type { LedgerWallet } from './ledger-contracts.js'
import type { NodeMemory } from './node-memory.js'
import type { Revisions, SubmittedTransaction } from './submitted-transaction.js'

/** The wallets that exist when a transaction is judged, by stream. */
export type KnownWallets = ReadonlyMap<string, LedgerWallet>

/** The transactions of an identity that a node has; empty when it does not know the identity. */
export function identityAt(archive: LedgerArchive, node: NodeMemory, id: string): readonly IdentityChange[] {
  const [first, ...later] = archive.identity(id)
  if (first === undefined || !node.knows(first.umid)) return []
  return [first, ...later.filter(({ umid }) => node.knows(umid))]
}

/** The assignments of a wallet that a node has. */
export function walletAt(archive: LedgerArchive, node: NodeMemory, id: string): readonly WalletChange[] {
  return archive.wallet(id).filter(({ umid }) => node.knows(umid))
}

/** How often each stream of a transaction changed, as far as a node knows; 0 for a stream that it does not have. */
export class Positions {
  private constructor(
    readonly inputs: ReadonlyMap<string, number>,
    readonly outputs: ReadonlyMap<string, number>,
  ) {}

  static at(
    archive: LedgerArchive,
    node: NodeMemory,
    { inputs, outputs }: SubmittedTransaction,
    wallets: KnownWallets,
  ): Positions {
    const positionOf = (id: string) => {
      const changes = identityAt(archive, node, id).length
      if (changes > 0) return changes
      return wallets.has(id) && node.knowsWallets ? 1 + walletAt(archive, node, id).length : 0
    }
    const all = (streams: SubmittedTransaction['inputs']) =>
      new Map([...streams.values()].map(({ stream }) => [stream, positionOf(stream)]))
    return new Positions(all(inputs), all(outputs))
  }

  get areAllThere(): boolean {
    return [...this.inputs.values(), ...this.outputs.values()].every((position) => position > 0)
  }
}

/** The text of a revision: how often a document changed, and a digest. */
export function revision(document: string, changes: number): string {
  return `${changes}-${createHash('md5').update(`${document} ${changes}`).digest('hex')}`
}

/** The revisions of the streams of a transaction before it: of what is kept beside each, and of the stream itself. */
export function revisionsOf({ isSelfSigned }: SubmittedTransaction, { inputs, outputs }: Positions): Revisions {
  if (isSelfSigned) return { $i: {}, $o: {} }
  const pair = ([id, position]: readonly [string, number], state: number) =>
    [id, `${revision(`${id}:stream`, position)}:${revision(id, state)}`] as const
  return {
    // The transactions of an identity change what is kept beside it, and never the identity itself.
    $i: Object.fromEntries([...inputs].map((input) => pair(input, 1))),
    $o: Object.fromEntries([...outputs].map((output) => pair(output, output[1]))),
  }
}
