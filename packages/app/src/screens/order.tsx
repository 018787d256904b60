import type { Order } from '@billhook/client'
import { useEffect } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { text, timeText } from '../languages/language.js'
import { Copyable } from '../parts/copyable.js'
import { Facts } from '../parts/facts.js'
import { Failure, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { amountOf } from '../parts/invoice-amount.js'
import { networkName } from '../parts/network-name.js'
import { OrderStatusMark } from '../parts/order-status.js'
import { Qr } from '../parts/qr.js'
import { Sure } from '../parts/sure.js'
import { Warnings } from '../parts/warnings.js'

/** One order, live. */
export function OrderPage({ desk, id }: { readonly desk: Desk; readonly id: string }) {
  const work = useWork()
  useEffect(() => {
    void work.run(async () => {
      await desk.orders.read(id)
    })
  }, [desk, id])
  const order = desk.orders.find(id)
  return (
    <Screen title={order === undefined ? text('orderTitle') : `${order.price.amount} ${order.price.currency}`}>
      <Failure error={work.error} />
      {order === undefined ? work.error === null && <p>{text('loading')}</p> : <Shown desk={desk} order={order} />}
    </Screen>
  )
}

function Shown({ desk, order }: { readonly desk: Desk; readonly order: Order }) {
  const { id, status } = order
  const { billhook, ended } = desk.shop
  const known = new Map((desk.wallets.list.value ?? []).map((wallet) => [wallet.id, wallet]))
  const suspicions = desk.orderSuspicionsOf(order)
  const isPayable = status === 'unpaid' || status === 'partly'
  const page = `${desk.url}/order/${id}`
  const percent = Math.floor(Number(order.paid_fraction) * 100)
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    [text('orderPaidPart'), `${percent} %`],
    [text('orderNumber'), order.orderNumber],
    [text('created'), timeText(order.created_at)],
    [text('expires'), timeText(order.expires_at)],
  ]
  return (
    <>
      <p class="name">
        <bdi>{order.name}</bdi>
      </p>
      <p aria-live="polite">
        <OrderStatusMark status={status} />
      </p>
      <Warnings suspicions={suspicions} />
      {suspicions.length === 0 && isPayable && (
        <>
          <Qr value={page} label={text('paymentLink')} />
          <Copyable value={page} label={text('paymentLink')} />
        </>
      )}
      <Facts facts={facts} />
      <h2>{text('orderOptions')}</h2>
      <ul class="rows">
        {order.options.map(({ invoice }) => (
          <li key={invoice.id}>
            <a href={`#/invoices/${invoice.id}`}>
              <span>
                <bdi dir="ltr">{amountOf(desk, invoice)}</bdi>
              </span>
              <span class="quiet">{networkName(desk, invoice.wallet_id)}</span>
              <code dir="ltr">{known.get(invoice.wallet_id)?.first ?? '–'}</code>
            </a>
          </li>
        ))}
      </ul>
      {isPayable && (
        <div class="row actions">
          <Sure
            name={text('accept')}
            warning={text('acceptWarning')}
            onSure={async () => desk.orders.take([await billhook.acceptOrder(id, { signal: ended })])}
          />
          <Sure
            name={text('void')}
            warning={text('voidWarning')}
            onSure={async () => desk.orders.take([await billhook.voidOrder(id, { signal: ended })])}
          />
        </div>
      )}
    </>
  )
}
