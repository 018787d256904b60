import { ActiveCrypto, type Activity, Standard } from '@activeledger/activecontracts'

/*
 * Creates a wallet that nobody owns. Publish it after assign.ts, whose id it needs.
 *
 *   $i  operator  {$stream: "<your identity>", address: "T…", network: "TRX-NILE"}
 */

const NAME = 'shop.wallet'
/** The identity that creates wallets. Without this check anyone can. */
const OPERATOR = '<id of your identity>'
/** The contract that gives wallets away. Every other contract of the ledger is locked out, for good. */
const ASSIGN = '<id of assign.ts>'

const ID = /^[0-9a-f]{64}$/
const CONTRACT = /^[0-9A-Za-z][0-9A-Za-z_-]*(@[0-9A-Za-z][0-9A-Za-z._-]*)?$/

export default class Wallet extends Standard {
  verify(isSelfSigned: boolean): Promise<boolean> {
    return isSelfSigned ? Promise.reject('it must be signed by the operator') : Promise.resolve(true)
  }

  vote(): Promise<boolean> {
    const refusal = this.refusal()
    return refusal === null ? Promise.resolve(true) : Promise.reject(refusal)
  }

  commit(): Promise<boolean> {
    const { address, network } = this.transactions.$i['operator'] ?? {}
    const wallet = this.newActivityStream(NAME)
    wallet.setContractLock([ASSIGN])
    wallet.setState({ type: NAME, address, network, owner: null })
    return Promise.resolve(true)
  }

  private refusal(): string | null {
    const { $contract, $entry, $i, $o = {} } = this.transactions
    if (!ID.test(OPERATOR) || !ID.test(ASSIGN)) return 'the contract is not set up'
    if (!CONTRACT.test($contract)) return 'the contract must be named by its id'
    if ($entry !== undefined) return 'there are no entry points'
    if (Object.keys($i).join() !== 'operator' || Object.keys($o).length > 0) return 'it takes one input, operator'
    const { $stream, address, network } = $i['operator'] ?? {}
    if ($stream !== OPERATOR) return 'only the operator creates wallets'
    if (!this.isSignedBy(this.getActivityStreams($stream))) return 'it must be signed by the operator'
    if (typeof address !== 'string' || address === '') return 'address is missing'
    if (typeof network !== 'string' || network === '') return 'network is missing'
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
