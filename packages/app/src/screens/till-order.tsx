import type { Order } from '@billhook/client'
import { useEffect, useRef } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { text } from '../languages/language.js'
import { leftToPay } from '../orders/left-to-pay.js'
import { Failure, useWork } from '../parts/form.js'
import { amountOf, coinOf } from '../parts/invoice-amount.js'
import { networkName } from '../parts/network-name.js'
import { Qr } from '../parts/qr.js'
import { Warnings } from '../parts/warnings.js'
import { playPaid } from '../till/sound.js'

interface TillOrderProps {
  readonly desk: Desk
  /** Undefined while it is read. */
  readonly order: Order | undefined
  /** The coin that the customer has chosen. */
  readonly invoiceId: string | null
}

type Option = Order['options'][number]

/** What one customer has to pay, until it is paid. */
export function TillOrder({ desk, order, invoiceId }: TillOrderProps) {
  const isPaid = order?.status === 'paid'
  const wasOpen = useRef(false)
  useEffect(() => {
    if (isPaid && wasOpen.current) playPaid()
    wasOpen.current = order !== undefined && !isPaid
  }, [isPaid, order])
  if (order === undefined) return <p>{text('loading')}</p>
  const { price, options, status } = order
  const sum = `${price.amount} ${price.currency}`
  const suspicions = desk.orderSuspicionsOf(order)
  const isWrong = suspicions.length > 0
  if (isPaid) {
    return (
      <div class="paid-till">
        <Warnings suspicions={suspicions} />
        <p role="status" data-state="paid">
          {text('tillPaid')} <bdi>{sum}</bdi>
        </p>
        <Next desk={desk} />
      </div>
    )
  }
  if (status === 'expired' || status === 'void') {
    return (
      <>
        <p class="failure" role="alert">
          {text('tillExpired')}
        </p>
        <Next desk={desk} />
      </>
    )
  }
  const percent = Math.floor(Number(order.paid_fraction) * 100)
  const [only] = options
  const chosen = options.length === 1 ? only : options.find(({ invoice }) => invoice.id === invoiceId)
  return (
    <>
      <p class="figures" dir="ltr">
        {sum}
      </p>
      {status === 'partly' && (
        <p role="status">
          {text('orderPaidPart')}: {percent} %
        </p>
      )}
      {isWrong ? (
        <Warnings suspicions={suspicions} />
      ) : chosen === undefined ? (
        <Coins desk={desk} order={order} />
      ) : (
        <Code desk={desk} order={order} option={chosen} />
      )}
      <div class="row">
        {chosen !== undefined && options.length > 1 && (
          <button type="button" onClick={() => void desk.till.choose(order.id, null)}>
            {text('tillOther')}
          </button>
        )}
        <Cancel desk={desk} order={order} />
      </div>
    </>
  )
}

function Coins({ desk, order }: { readonly desk: Desk; readonly order: Order }) {
  return (
    <>
      <p>{text('tillCoin')}</p>
      <ul class="ways">
        {order.options.map(({ invoice }) => (
          <li key={invoice.id}>
            <button type="button" onClick={() => void desk.till.choose(order.id, invoice.id)}>
              <span class="coin" dir="ltr">
                {amountOf(desk, invoice)}
              </span>
              <span>{networkName(desk, invoice.wallet_id)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

interface CodeProps {
  readonly desk: Desk
  readonly order: Order
  readonly option: Option
}

/** The code of the payment page, and beside it what is still to be paid, and where it goes. */
function Code({ desk, order: { options }, option }: CodeProps) {
  const { invoice } = option
  const known = new Map((desk.wallets.list.value ?? []).map((wallet) => [wallet.id, wallet]))
  const left = leftToPay(options, option)
  const isSeen = left === '0'
  return (
    <div class="code">
      <Qr value={`${desk.url}/pay/${invoice.id}`} label={text('paymentLink')} />
      <p class="figure" dir="ltr">
        {isSeen ? invoice.amount : left} {coinOf(desk, invoice)}
      </p>
      <p class="quiet">
        {networkName(desk, invoice.wallet_id)} <code dir="ltr">{known.get(invoice.wallet_id)?.first ?? ''}</code>
      </p>
      <p role="status">{text(isSeen ? 'tillSeen' : 'tillScan')}</p>
    </div>
  )
}

function Next({ desk }: { readonly desk: Desk }) {
  return (
    <button type="button" class="main charge" onClick={() => void desk.till.next()}>
      {text('tillNext')}
    </button>
  )
}

/** Ends the order. A customer who pays all the same is reported as late. */
function Cancel({ desk, order }: { readonly desk: Desk; readonly order: Order }) {
  const work = useWork()
  const { billhook, ended } = desk.shop
  const cancel = async () => {
    desk.orders.take([await billhook.voidOrder(order.id, { signal: ended })])
    await desk.till.next()
  }
  return (
    <>
      <Failure error={work.error} />
      <button type="button" disabled={work.isWorking} onClick={() => void work.run(cancel)}>
        {text('tillCancel')}
      </button>
    </>
  )
}
