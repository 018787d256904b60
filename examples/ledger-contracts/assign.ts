import { ActiveCrypto, type Activity, Standard } from '@activeledger/activecontracts'

/*
 * Assigns a wallet that nobody owns to the identity that signs.
 *
 *   $i  owner   {$stream: "<identity>", personal: true}
 *   $o  wallet  {$stream: "<wallet>"}
 */

const WALLET = 'shop.wallet'

const ID = /^[0-9a-f]{64}$/
/** An id, a version of it, or a label. A node resolves the name as a path, so nothing else may be in it. */
const CONTRACT = /^[0-9A-Za-z][0-9A-Za-z_-]*(@[0-9A-Za-z][0-9A-Za-z._-]*)?$/

export default class Assign extends Standard {
  verify(isSelfSigned: boolean): Promise<boolean> {
    return isSelfSigned ? Promise.reject('it must be signed by the owner') : Promise.resolve(true)
  }

  vote(): Promise<boolean> {
    const refusal = this.refusal()
    return refusal === null ? Promise.resolve(true) : Promise.reject(refusal)
  }

  /** The wallet is an output whose state changes, so the node's answer lists it in `updated`. */
  commit(): Promise<boolean> {
    const { $i, $o = {} } = this.transactions
    const wallet = this.getActivityStreams($o['wallet']?.$stream)
    wallet.setState({ ...wallet.getState(), owner: $i['owner']?.$stream })
    return Promise.resolve(true)
  }

  private refusal(): string | null {
    const { $contract, $entry, $i, $o = {} } = this.transactions
    if (!CONTRACT.test($contract)) return 'the contract must be named by its id'
    if ($entry !== undefined) return 'there are no entry points'
    if (Object.keys($i).join() !== 'owner' || Object.keys($o).join() !== 'wallet') {
      return 'it takes one input, owner, and one output, wallet'
    }
    const { $stream: owner, personal } = $i['owner'] ?? {}
    const { $stream: wallet } = $o['wallet'] ?? {}
    if (personal !== true) return 'owner must be personal'
    if (!isId(owner) || !isId(wallet)) return 'owner and wallet must be ids'
    if (!this.isSignedBy(this.getActivityStreams(owner))) return 'it must be signed by the owner'
    const state = this.getActivityStreams(wallet).getState()
    if (state['type'] !== WALLET) return 'wallet must be a wallet'
    if (state['owner'] !== null) return 'the wallet is assigned already'
    return null
  }

  /** Nodes commit a transaction with an object in place of a signature without verifying anything in it. */
  private isSignedBy(stream: Activity): boolean {
    const signatures = this.sigs[stream.getId()]
    if (typeof signatures !== 'object' || signatures === null) return false
    const keys = new Map(stream.getAuthorities().map((authority) => [authority.hash, authority]))
    const signed = Object.entries(signatures)
    return (
      signed.length > 0 &&
      signed.every(([hash, signature]) => {
        const key = keys.get(hash)
        if (key === undefined || typeof signature !== 'string') return false
        return new ActiveCrypto.KeyPair(key.type, key.public).verify(this.transactions, signature)
      })
    )
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value)
}
