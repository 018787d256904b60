import assert from 'node:assert/strict'
import type { Currency } from '../../src/domain/amount.js'
import type { ApiKeyRegistration } from '../../src/domain/api-key.js'
import type { DepositReport, Sighting } from '../../src/domain/deposit.js'
import type { Outcome } from '../../src/domain/failure.js'
import { type InvoiceRequest, parseInvoiceRequest, SPECIFIED_TERMS } from '../../src/domain/invoice.js'
import type { DepositFact, LedgerFact } from '../../src/domain/ledger-fact.js'
import type { Network } from '../../src/domain/network.js'
import { START_MS } from './manual-clock.js'
import { TEST_NETWORKS } from './networks.js'

/** Fields of an invoice that a test may set. The default is an ordinary invoice of `alice` on `wallet-1`. */
export interface InvoiceFields {
  readonly owner?: string
  readonly walletIds?: readonly string[]
  readonly name?: string
  readonly amount?: string
  readonly currency?: Currency
  readonly description?: string
  readonly reference?: string
  readonly callbackUrl?: string
  readonly returnUrl?: string
  readonly orderNumber?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly expiresInSeconds?: number
}

const TERMS = { ...SPECIFIED_TERMS, currencies: TEST_NETWORKS.currencies }

/** A request as parsed by the HTTP edge. */
export function invoiceRequest(fields: InvoiceFields = {}): InvoiceRequest {
  const { owner = 'alice', ...rest } = fields
  const outcome = parseInvoiceRequest({ walletIds: ['wallet-1'], name: 'Coffee', amount: '100', ...rest }, owner, TERMS)
  assert.ok(outcome.ok, 'the fixture is no valid request')
  return outcome.value
}

/** A transfer of 100 native coins to `wallet-1`, one minute after the start of the manual clock. */
export function sighting(fields: Partial<Sighting> = {}): Sighting {
  return {
    network: 'SEP',
    txHash: '0xfeed',
    index: 0,
    toAddress: addressOf('wallet-1'),
    currency: '#native',
    amount: '100',
    receivedAt: START_MS + 60_000,
    ...fields,
  }
}

export function depositFact(report: DepositReport, fields: Partial<Sighting> = {}): DepositFact {
  return { type: 'deposit', report, sighting: sighting(fields) }
}

/** The address that fixtures give a wallet. */
export function addressOf(walletId: string): string {
  return `0xAddress-of-${walletId}`
}

export function walletCreated(id: string, network: Network = 'SEP'): LedgerFact {
  return { type: 'wallet.created', id, address: addressOf(id), network }
}

export function walletAssigned(id: string, owner: string): LedgerFact {
  return { type: 'wallet.assigned', id, address: null, network: null, owner }
}

/** A registration whose public key is 33 bytes made of `seed`. */
export function registration(seed: number, fields: Partial<ApiKeyRegistration> = {}): ApiKeyRegistration {
  const publicKey = Buffer.alloc(33, seed)
  publicKey[0] = 2
  return {
    owner: 'alice',
    label: 'shop',
    publicKeyText: `0x${publicKey.toString('hex')}`,
    publicKey,
    permissions: ['invoices:create'],
    ttlDays: null,
    ...fields,
  }
}

/** Returns the value of an outcome. Fails when it is a refusal. */
export function unwrap<T>(outcome: Outcome<T>): T {
  assert.ok(outcome.ok, outcome.ok ? '' : `refused: ${outcome.failure.message}`)
  return outcome.value
}

/** Returns the code of a refusal. Fails when it is a value. */
export function refusalOf<T>(outcome: Outcome<T>): string {
  assert.ok(!outcome.ok, 'it was not refused')
  return outcome.failure.code
}
