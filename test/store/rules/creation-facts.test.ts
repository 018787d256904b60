import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { InvoiceRequest, InvoiceTerms } from '../../../src/domain/invoice.js'
import type { Network } from '../../../src/domain/network.js'
import { CreationFacts, optionTerms } from '../../../src/store/rules/creation-facts.js'
import { invoiceRequest } from '../../support/fixtures.js'
import { TEST_NETWORKS } from '../../support/networks.js'

const TERMS: InvoiceTerms = { networks: TEST_NETWORKS, areWalletsShared: true, areCoinsMixed: false }
const SIGNED = { timestampMs: 5, digest: Buffer.alloc(32, 3) }

/** A store in which everything is there. */
class Facts extends CreationFacts {
  readonly asked: string[] = []
  /** The sets that were named. */
  readonly named: string[] = []

  constructor(
    fields: Partial<InvoiceRequest> = {},
    {
      terms = TERMS,
      signed = true,
      alongside = [],
      networks = ['SEP'],
    }: {
      terms?: InvoiceTerms
      signed?: boolean
      alongside?: readonly (readonly string[])[]
      networks?: readonly Network[]
    } = {},
  ) {
    const request = { ...invoiceRequest(), ...fields }
    super({ type: 'invoice', request, ...(signed ? { terms: { signed: SIGNED } } : {}) }, terms, alongside)
    this.networks = networks
  }

  protected readonly networks: readonly Network[]

  protected hasReference(reference: string): boolean {
    this.asked.push(reference)
    return true
  }

  protected hasCreated({ digest }: typeof SIGNED): boolean {
    this.asked.push(digest.toString('hex').slice(0, 2))
    return true
  }

  protected unpaidWallet(): string {
    this.asked.push('unpaid')
    return 'wallet-1'
  }

  beside(walletId: string, isCounted?: (ids: readonly string[]) => boolean): readonly string[] {
    const nameOf = (ids: readonly string[]) => {
      const name = ids.join('+')
      this.named.push(name)
      return name
    }
    return this.setsBeside(walletId, nameOf, isCounted)
  }
}

describe('what every engine finds of a creation', () => {
  test('an invoice without a reference has none that is taken', () => {
    const facts = new Facts({ reference: null })
    assert.equal(facts.isReferenceTaken(), false)
    assert.deepEqual(facts.asked, [])
    assert.equal(new Facts({ reference: 'order-1' }).isReferenceTaken(), true)
  })

  test('only a signed request can be a repetition', () => {
    assert.equal(new Facts({}, { signed: false }).isRepeated(), false)
    const facts = new Facts()
    assert.equal(facts.isRepeated(), true)
    assert.deepEqual(facts.asked, ['03'])
  })

  test('no wallet is taken where invoices share wallets, and nothing is looked for', () => {
    const facts = new Facts()
    assert.equal(facts.takenWallet(), null)
    assert.deepEqual(facts.asked, [])
    assert.equal(new Facts({}, { terms: { ...TERMS, areWalletsShared: false } }).takenWallet(), 'wallet-1')
  })

  test('its networks decide about its currency', () => {
    assert.equal(new Facts({ currency: 'EURC' }).currenciesInstead(), null)
    assert.deepEqual(new Facts({ currency: 'EURC' }, { networks: ['TRX-NILE'] }).currenciesInstead(), [
      'native',
      'USDT',
      'USDC',
    ])
    const networks = ['SEP', 'TRX-NILE']
    assert.equal(new Facts({ currency: 'native' }, { networks }).areCoinsMixed(), true)
    assert.equal(new Facts({ currency: 'native' }).areCoinsMixed(), false)
  })

  test('an option of an order is in one coin, whatever the settings allow an invoice', () => {
    const terms = optionTerms({ ...TERMS, areCoinsMixed: true })
    const networks = ['SEP', 'TRX-NILE']
    assert.equal(new Facts({ currency: 'native' }, { terms, networks }).areCoinsMixed(), true)
  })

  test('the sets beside it are those of other options on the same wallet', () => {
    const facts = new Facts({}, { alongside: [['a', 'b'], ['c'], ['b', 'c']] })
    assert.deepEqual(facts.beside('b'), ['a+b', 'b+c'])
    assert.deepEqual(facts.beside('d'), [])
  })

  test('each set beside it is named once, however many wallets it has and options are on it', () => {
    const facts = new Facts({}, { alongside: [['a', 'b'], ['a', 'b'], ['c']] })
    assert.deepEqual([facts.beside('a'), facts.beside('b'), facts.beside('c')], [['a+b'], ['a+b'], ['c']])
    assert.deepEqual(facts.named, ['a+b', 'a+b', 'c'])
  })

  test('a set that adds nothing is not beside it', () => {
    const facts = new Facts({}, { alongside: [['a', 'b'], ['b']] })
    assert.deepEqual(
      facts.beside('b', (ids) => ids.length > 1),
      ['a+b'],
    )
  })
})
