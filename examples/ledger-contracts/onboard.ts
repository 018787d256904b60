import { Standard } from '@activeledger/activecontracts'

/*
 * Onboards an identity. Publish it after assign.ts and replace-key.ts, whose ids it needs.
 *
 *   $selfsign: true
 *   $i  otk     {publicKey: "0x02…", type: "secp256k1"}
 */

/** The name that the identity's id is made from, with the key: BILLHOOK_ONBOARDING_NAME. */
const NAME = 'shop.identity'
/** Ids of the contracts that may use an identity. Every other contract of the ledger is locked out, for good. */
const CONTRACTS = ['<id of assign.ts>', '<id of replace-key.ts>']

const ID = /^[0-9a-f]{64}$/
/** An id, a version of it, or a label. A node resolves the name as a path, so nothing else may be in it. */
const CONTRACT = /^[0-9A-Za-z][0-9A-Za-z_-]*(@[0-9A-Za-z][0-9A-Za-z._-]*)?$/
/** One spelling: each spelling of a key makes another identity. */
const KEY = /^0x0[23][0-9a-f]{64}$/

export default class Onboard extends Standard {
  verify(isSelfSigned: boolean): Promise<boolean> {
    return isSelfSigned ? Promise.resolve(true) : Promise.reject('it must be self-signed')
  }

  vote(): Promise<boolean> {
    const refusal = this.refusal()
    return refusal === null ? Promise.resolve(true) : Promise.reject(refusal)
  }

  /** A second onboarding of the key fails here, because the stream's id is made from it. */
  commit(): Promise<boolean> {
    const key = String(this.transactions.$i['otk']?.['publicKey'])
    const identity = this.newActivityStream(NAME, key)
    identity.setAuthority(key, 'secp256k1')
    identity.setContractLock(CONTRACTS)
    identity.setState({ type: NAME, keys: [key] })
    return Promise.resolve(true)
  }

  private refusal(): string | null {
    const { $contract, $entry, $i, $o = {} } = this.transactions
    if (!CONTRACTS.every((id) => ID.test(id))) return 'the contract is not set up'
    if (!CONTRACT.test($contract)) return 'the contract must be named by its id'
    if ($entry !== undefined) return 'there are no entry points'
    if (Object.keys($i).join() !== 'otk' || Object.keys($o).length > 0) return 'it takes one input, otk'
    const { publicKey, type } = $i['otk'] ?? {}
    if (type !== 'secp256k1') return 'type must be secp256k1'
    if (typeof publicKey !== 'string' || !KEY.test(publicKey)) {
      return 'publicKey must be 0x and the compressed key in lower-case hex'
    }
    return null
  }
}
