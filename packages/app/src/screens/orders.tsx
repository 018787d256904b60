import { useEffect } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { text, timeText } from '../languages/language.js'
import type { OrderStatus } from '../orders/order-book.js'
import { Choice, Failure, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { OrderStatusMark, STATUS_TEXTS } from '../parts/order-status.js'
import { Unanswered } from '../parts/unanswered.js'

const ALL = 'all'
const STATUSES = Object.keys(STATUS_TEXTS) as OrderStatus[]

/** The list of orders, live. */
export function Orders({ desk }: { readonly desk: Desk }) {
  const { orders } = desk
  const { rows, hasMore, status } = orders
  const work = useWork()
  useEffect(() => {
    void work.run(() => orders.choose(orders.status.value))
  }, [orders])
  return (
    <Screen title={text('ordersTitle')}>
      <p>{text('ordersHint')}</p>
      <p>
        <a class="button" href="#/orders/new">
          {text('newOrder')}
        </a>
      </p>
      <Unanswered desk={desk} />
      <Choice
        label={text('filterState')}
        value={status.value ?? ALL}
        onValue={(value) => void work.run(() => orders.choose(STATUSES.find((one) => one === value) ?? null))}
        options={[[ALL, text('filterAll')], ...STATUSES.map((one) => [one, text(STATUS_TEXTS[one])] as const)]}
      />
      <Failure error={work.error} />
      {rows.value.length === 0 && (
        <p>{text(hasMore.value ? 'loading' : status.value === null ? 'noOrders' : 'nothingFound')}</p>
      )}
      <ul class="rows">
        {rows.value.map((order) => (
          <li key={order.id}>
            <a href={`#/orders/${order.id}`}>
              <bdi class="name">{order.name}</bdi>
              <span class="figure" dir="ltr">
                {`${order.price.amount} ${order.price.currency}`}
              </span>
              <span class="quiet">
                {order.orderNumber !== null && <bdi>{order.orderNumber}</bdi>} {timeText(order.created_at)}
              </span>
              <OrderStatusMark status={order.status} />
            </a>
          </li>
        ))}
      </ul>
      {hasMore.value && rows.value.length > 0 && (
        <button type="button" disabled={work.isWorking} onClick={() => void work.run(() => orders.more())}>
          {text('loadMore')}
        </button>
      )}
    </Screen>
  )
}
