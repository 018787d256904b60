import { useEffect, useState } from 'preact/hooks'
import { ordersAsCsv } from '../csv/tables.js'
import type { Desk } from '../desk/desk.js'
import { text, timeText } from '../languages/language.js'
import type { OrderFilter, OrderStatus } from '../orders/order-book.js'
import { Choice, Failure, Field, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { OrderStatusMark, STATUS_TEXTS } from '../parts/order-status.js'
import { SaveCsv } from '../parts/save-csv.js'
import { Unanswered } from '../parts/unanswered.js'

const ALL = 'all'
const STATUSES = Object.keys(STATUS_TEXTS) as OrderStatus[]

/** The list of orders, live. */
export function Orders({ desk }: { readonly desk: Desk }) {
  const { orders } = desk
  const { rows, hasMore, filter } = orders
  const work = useWork()
  const [number, setNumber] = useState(filter.value.number)
  const choose = (change: Partial<OrderFilter>) =>
    void work.replace(() => orders.choose({ ...filter.value, ...change }))
  useEffect(() => choose({}), [orders])
  return (
    <Screen title={text('ordersTitle')}>
      <p>{text('ordersHint')}</p>
      <p>
        <a class="button" href="#/orders/new">
          {text('newOrder')}
        </a>
      </p>
      <Unanswered desk={desk} />
      <search>
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            choose({ number })
          }}
        >
          <Field label={text('searchOrder')} value={number} onValue={setNumber} input={{ type: 'search' }} />
          <Choice
            label={text('filterState')}
            value={filter.value.status ?? ALL}
            onValue={(value) => choose({ status: STATUSES.find((one) => one === value) ?? null })}
            options={[[ALL, text('filterAll')], ...STATUSES.map((one) => [one, text(STATUS_TEXTS[one])] as const)]}
          />
        </form>
      </search>
      <Failure error={work.error} />
      {rows.value.length === 0 && (
        <p>{text(hasMore.value ? 'loading' : isFiltered(filter.value) ? 'nothingFound' : 'noOrders')}</p>
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
                {order.orderNumber !== null && (
                  <>
                    <bdi>{order.orderNumber}</bdi> ·{' '}
                  </>
                )}
                {timeText(order.created_at)}
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
      <SaveCsv name="orders" count={rows.value.length} csv={() => ordersAsCsv(rows.value)} />
    </Screen>
  )
}

function isFiltered({ number, status }: OrderFilter): boolean {
  return number !== '' || status !== null
}
