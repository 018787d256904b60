import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { formatAmount } from '../../../src/domain/amount.js'
import { paymentsOf } from '../../../src/domain/payment.js'
import { addressOf, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'
import { AMOUNT_FORMS, CROWDED, type Profile, type Step, stepOf, WIDE } from './history-steps.js'
import { type ModelInvoice, NaiveModel } from './naive-model.js'
import { assertReportsAgree } from './reports-agree.js'

const ONE = 10n ** 18n
const WIDE_HISTORIES = 150
const CROWDED_HISTORIES = 250
const INTERRUPT_MS = 120_000
const STEPS_MIN = 20
const STEPS_MAX = 90
/** One history, played on the store and on the model alike. */
class History {
  private readonly model = new NaiveModel()
  private references = 0

  constructor(
    private readonly t: Scenario,
    /** Before every name, so that histories share a store and nothing else. */
    private readonly prefix: string,
  ) {}

  async play(steps: readonly Step[]): Promise<void> {
    this.t.clock.set(START_MS)
    await this.t.own(this.name('A'), this.name('w0'), this.name('w1'))
    await this.t.tell(walletAssigned(this.name('late'), this.name('A')))
    for (const id of ['w0', 'w1', 'late']) this.model.owners.set(this.name(id), this.name('A'))
    for (const id of ['w0', 'w1']) this.model.placed.add(this.name(id))
    for (const one of steps) {
      // What takes its turn in a wallet's mailbox decides about what has expired by then; reads only judge.
      if (
        one.do === 'invoice' ||
        one.do === 'deposit' ||
        ((one.do === 'void' || one.do === 'accept') && one.position < this.model.invoices.length)
      ) {
        this.model.expire(this.t.clock.now())
      }
      await this.take(one)
      await this.comparePayments()
    }
  }

  private name(short: string): string {
    return `${this.prefix}-${short}`
  }

  private async take(one: Step): Promise<void> {
    const { t, model } = this
    switch (one.do) {
      case 'wait':
        t.clock.advance(one.ms)
        return
      case 'invoice':
        return this.invoice(one)
      case 'void':
      case 'accept':
        return this.end(one)
      case 'deposit':
        return this.deposit(one)
      case 'assign':
        await t.tell(walletAssigned(this.name(one.wallet), this.name(one.owner)))
        model.owners.set(this.name(one.wallet), this.name(one.owner))
        return
      case 'place':
        await t.tell(walletCreated(this.name(one.wallet)))
        model.placed.add(this.name(one.wallet))
        return
      case 'default':
        if (one.isSet) {
          await t.store.webhooks.put(this.name(one.owner), 'https://default.example/')
          model.defaults.set(this.name(one.owner), 'https://default.example/')
        } else {
          await t.store.webhooks.delete(this.name(one.owner))
          model.defaults.delete(this.name(one.owner))
        }
    }
  }

  private async invoice(one: Extract<Step, { do: 'invoice' }>): Promise<void> {
    if (one.reference === 'new') this.references += 1
    const reference = one.reference === 'none' ? null : this.name(`${this.references}`)
    const callbackUrl = one.hasCallback ? 'https://own.example/' : null
    const { currency } = one
    const walletIds = one.wallets.map((id) => this.name(id))
    const asked = {
      owner: this.name(one.owner),
      walletIds,
      amount: one.amount * ONE,
      currency,
      reference,
      callbackUrl,
    } as const
    const expected = this.model.refusal(asked)
    const outcome = await this.t.request({
      owner: asked.owner,
      walletIds,
      amount: AMOUNT_FORMS[one.form]?.(one.amount) ?? '',
      currency,
      ...(reference === null ? {} : { reference }),
      ...(callbackUrl === null ? {} : { callbackUrl }),
      ...(one.expiresInSeconds === null ? {} : { expiresInSeconds: one.expiresInSeconds }),
    })
    assert.equal(outcome.ok ? null : outcome.failure.code, expected)
    if (!outcome.ok) return
    const createdAt = this.t.clock.now()
    const expiresAt = one.expiresInSeconds === null ? null : createdAt + one.expiresInSeconds * 1000
    const ending = { expiresAt, hasOutlivedExpiry: false, voidedAt: null, acceptedAt: null }
    const created: ModelInvoice = { ...asked, ...ending, id: outcome.value.id, createdAt }
    assert.equal(outcome.value.created_at, created.createdAt)
    // An acceptance never leaves two unpaid equal amounts on a wallet.
    assert.deepEqual(this.model.rivals(created), [])
    this.model.invoices.push(created)
  }

  private async end(one: Extract<Step, { do: 'void' | 'accept' }>): Promise<void> {
    const invoice = this.model.invoices[one.position]
    if (invoice === undefined) return
    const owner = this.name(one.owner)
    const expected = this.model[one.do](invoice, owner, this.t.clock.now())
    const outcome = await this.t[one.do](invoice.id, owner)
    assert.equal(outcome.ok ? null : outcome.failure.code, expected)
  }

  private async deposit(one: Extract<Step, { do: 'deposit' }>): Promise<void> {
    const walletId = this.name(one.wallet)
    const receivedAt = this.t.clock.now() + one.offsetMs
    const key = this.name(`d${one.key}`)
    const expected = this.model.report(key, one.report, {
      walletId,
      label: one.label,
      amount: one.amount * ONE,
      receivedAt,
    })
    const { outcome, deliveries } = await this.t.deposit(one.report, {
      txHash: key,
      toAddress: addressOf(walletId),
      currency: one.label,
      amount: one.label === 'Tether' || one.label === 'USDC' ? `${one.amount}000000` : formatAmount(one.amount * ONE),
      receivedAt,
    })
    assert.equal(outcome.status, expected.status)
    assert.deepEqual(
      deliveries.map(({ invoiceId, status, url, body }) => ({
        invoiceId,
        status,
        url,
        isLate: JSON.parse(body).late === true,
      })),
      expected.owed,
    )
  }

  private async comparePayments(): Promise<void> {
    for (const invoice of this.model.invoices) {
      const { payment, own, voidedAt, acceptedAt, expiresAt } = await this.t.told(invoice)
      assert.deepEqual({ payment, own }, paymentsOf(invoice.amount, this.model.sums(invoice)))
      await this.t.assertDepositsSum(invoice)
      const ending = [this.model.voidedAtBy(invoice, this.t.clock.now()), invoice.acceptedAt, invoice.expiresAt]
      assert.deepEqual([voidedAt, acceptedAt, expiresAt], ending)
    }
  }
}

/**
 * Random histories of invoices, deposits, reorganisations, reassignments, callbacks and clock steps come out as in the
 * naive model: every refusal, every notified invoice, every sum. fast-check prints the seed of a failure. `share` of the usual
 * number are played.
 */
export function describeHistories(open: OpenStore, share = 1): void {
  const histories = (name: string, profile: Profile, numRuns: number) =>
    test(
      name,
      withStore(open, async (t) => {
        let played = 0
        const steps = fc.array(stepOf(profile), { minLength: STEPS_MIN, maxLength: STEPS_MAX, size: 'max' })
        await fc.assert(
          fc.asyncProperty(steps, async (one) => {
            played += 1
            await new History(t, `h${played}`).play(one)
          }),
          // Shrinking a failure ends in time; a run that passes is far from this.
          { numRuns: Math.ceil(numRuns * share), interruptAfterTimeLimit: INTERRUPT_MS },
        )
        await assertReportsAgree(t)
      }),
    )

  describe('a random history comes out as in the naive model', () => {
    histories('whatever happens', WIDE, WIDE_HISTORIES)
    histories('on crowded wallets', CROWDED, CROWDED_HISTORIES)
  })
}
