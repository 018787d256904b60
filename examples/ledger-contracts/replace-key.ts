import { ActiveCrypto, type Activity, Standard } from '@activeledger/activecontracts'

/*
 * Makes another key the only one of an identity. The present key signs.
 *
 *   $i  owner   {$stream: "<identity>", newKey: "0x02…"}
 */

const ID = /^[0-9a-f]{64}$/
/** An id, a version of it, or a label. A node resolves the name as a path, so nothing else may be in it. */
const CONTRACT = /^[0-9A-Za-z][0-9A-Za-z_-]*(@[0-9A-Za-z][0-9A-Za-z._-]*)?$/
/** A key that nobody can sign with would be the last one. */
const KEY = /^0x0[23][0-9a-f]{64}$/

export default class ReplaceKey extends Standard {
  verify(isSelfSigned: boolean): Promise<boolean> {
    return isSelfSigned ? Promise.reject('it must be signed by the present key') : Promise.resolve(true)
  }

  vote(): Promise<boolean> {
    const refusal = this.refusal()
    return refusal === null ? Promise.resolve(true) : Promise.reject(refusal)
  }

  commit(): Promise<boolean> {
    const { $stream, newKey } = this.transactions.$i['owner'] ?? {}
    const identity = this.getActivityStreams($stream)
    identity.setAuthority(String(newKey), 'secp256k1')
    identity.setState({ ...identity.getState(), keys: [...keysOf(identity), newKey] })
    return Promise.resolve(true)
  }

  private refusal(): string | null {
    const { $contract, $entry, $i, $o = {} } = this.transactions
    if (!CONTRACT.test($contract)) return 'the contract must be named by its id'
    if ($entry !== undefined) return 'there are no entry points'
    if (Object.keys($i).join() !== 'owner' || Object.keys($o).length > 0) return 'it takes one input, owner'
    const { $stream, newKey } = $i['owner'] ?? {}
    if (typeof $stream !== 'string' || !ID.test($stream)) return 'owner must be an id'
    if (typeof newKey !== 'string' || !KEY.test(newKey)) {
      return 'newKey must be 0x and the compressed key in lower-case hex'
    }
    const identity = this.getActivityStreams($stream)
    if (!this.isSignedBy(identity)) return 'it must be signed by the present key'
    // Anyone can post an old transaction again. With a key back in force, so would be the replacement that it signed.
    if (keysOf(identity).includes(newKey)) return 'the identity has had this key'
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

/** Every key that the identity has had, in order. */
function keysOf(identity: Activity): readonly unknown[] {
  const { keys } = identity.getState()
  return Array.isArray(keys) ? keys : []
}
