import { type InvoiceWithPayment, walletIdsOf } from '@billhook/client'
import { useEffect } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { isOpen } from '../invoices/state.js'
import { text, timeText } from '../languages/language.js'
import { Copyable } from '../parts/copyable.js'
import { EventLog } from '../parts/event-log.js'
import { Facts } from '../parts/facts.js'
import { Failure, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { amountOf, coinOf } from '../parts/invoice-amount.js'
import { InvoiceStateMark } from '../parts/invoice-state.js'
import { Qr } from '../parts/qr.js'
import { Sure } from '../parts/sure.js'
import { Warnings } from '../parts/warnings.js'
import { networkOf } from '../wallets/coins.js'

/** One invoice, live. */
export function InvoicePage({ desk, id }: { readonly desk: Desk; readonly id: string }) {
  const work = useWork()
  useEffect(() => {
    void work.run(async () => {
      await desk.invoices.read(id)
    })
  }, [desk, id])
  const invoice = desk.invoices.find(id)
  return (
    <Screen title={invoice === undefined ? text('invoiceTitle') : amountOf(desk, invoice)}>
      <Failure error={work.error} />
      {invoice === undefined ? (
        work.error === null && <p>{text('loading')}</p>
      ) : (
        <Shown desk={desk} invoice={invoice} />
      )}
    </Screen>
  )
}

interface ShownProps {
  readonly desk: Desk
  readonly invoice: InvoiceWithPayment
}

function Shown({ desk, invoice }: ShownProps) {
  const { id, payment } = invoice
  const known = new Map((desk.wallets.list.value ?? []).map((wallet) => [wallet.id, wallet]))
  const suspicions = desk.suspicionsOf(invoice)
  const isSafe = suspicions.length === 0
  const page = `${desk.url}/pay/${id}`
  const coin = coinOf(desk, invoice)
  const isPayable = isOpen(invoice)
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    [text('received'), `${payment.own} ${coin}`],
    [text('pendingAmount'), /[1-9]/.test(payment.pending) ? `${payment.pending} ${coin}` : null],
    [text('remaining'), /[1-9]/.test(payment.remaining) ? `${payment.remaining} ${coin}` : null],
    [text('overpaid'), /[1-9]/.test(payment.overpaid) ? `${payment.overpaid} ${coin}` : null],
    [text('orderNumber'), invoice.orderNumber],
    [text('created'), timeText(invoice.created_at)],
    [text('expires'), invoice.expires_at === null ? null : timeText(invoice.expires_at)],
    [text('invoiceId'), id],
  ]
  // Others are in the warning alone.
  const own = walletIdsOf(invoice).flatMap((wallet) => known.get(wallet) ?? [])
  return (
    <>
      <p class="name">
        <bdi>{invoice.name}</bdi>
      </p>
      <p aria-live="polite">
        <InvoiceStateMark invoice={invoice} />
      </p>
      <Warnings suspicions={suspicions} />
      {isSafe && isPayable && (
        <>
          <Qr value={page} label={text('paymentLink')} />
          <Copyable value={page} label={text('paymentLink')} />
          <p>
            <a href={page} target="_blank" rel="noreferrer">
              {text('openPage')}
            </a>
          </p>
        </>
      )}
      <Facts facts={facts} />
      {own.length > 0 && (
        <>
          <h2>{text('paysTo')}</h2>
          <ul class="wallets">
            {own.map(({ id: wallet, network, first }) => (
              <li key={wallet}>
                {networkOf(desk.info, network)?.name ?? wallet} <code dir="ltr">{first ?? '–'}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      <Actions desk={desk} invoice={invoice} />
      <details>
        <summary>{text('timeline')}</summary>
        <EventLog desk={desk} fits={({ invoiceId }) => invoiceId === id} />
      </details>
    </>
  )
}

function Actions({ desk, invoice }: ShownProps) {
  const { id } = invoice
  const { billhook, ended } = desk.shop
  const work = useWork()
  return (
    <div class="row actions">
      <button type="button" onClick={() => print()}>
        {text('print')}
      </button>
      {isOpen(invoice) && (
        <>
          <Sure
            name={text('accept')}
            warning={text('acceptWarning')}
            onSure={async () => desk.invoices.take([await billhook.acceptInvoice(id, { signal: ended })])}
          />
          <Sure
            name={text('void')}
            warning={text('voidWarning')}
            onSure={async () => desk.invoices.take([await billhook.voidInvoice(id, { signal: ended })])}
          />
          {desk.isSandbox.value && (
            <button
              type="button"
              disabled={work.isWorking}
              onClick={() =>
                void work.run(async () => {
                  await billhook.simulateDeposit({ invoiceId: id }, { signal: ended })
                })
              }
            >
              {text('sandboxPay')}
            </button>
          )}
        </>
      )}
      <Failure error={work.error} />
    </div>
  )
}
