import { useEffect } from 'preact/hooks'
import { ordersAsCsv } from '../csv/tables.js'
import type { Desk } from '../desk/desk.js'
import { text } from '../languages/language.js'
import type { OrderStatus } from '../orders/order-book.js'
import { Failure, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { OrderStatusMark, STATUS_TEXTS } from '../parts/order-status.js'
import { FilterChoice, RecordList } from '../parts/record-list.js'
import { Unanswered } from '../parts/unanswered.js'

const STATUSES = Object.keys(STATUS_TEXTS) as OrderStatus[]

/** The list of orders, live. */
export function Orders({ desk }: { readonly desk: Desk }) {
  const { orders } = desk
  const reading = useWork()
  // They are not read before somebody looks.
  useEffect(() => void reading.replace(() => orders.choose(orders.filter.value)), [orders])
  return (
    <Screen title={text('ordersTitle')}>
      <p>{text('ordersHint')}</p>
      <p>
        <a class="button" href="#/orders/new">
          {text('newOrder')}
        </a>
      </p>
      <Unanswered desk={desk} />
      <Failure error={reading.error} />
      <RecordList
        list={orders}
        rows={orders.rows.value}
        kind="orders"
        none={text('noOrders')}
        filters={({ status }, choose) => (
          <FilterChoice
            label={text('filterState')}
            value={status}
            onValue={(wanted) => choose({ status: wanted })}
            options={STATUSES.map((one) => [one, text(STATUS_TEXTS[one])] as const)}
          />
        )}
        figureOf={({ price: { amount, currency } }) => `${amount} ${currency}`}
        markOf={({ status }) => <OrderStatusMark status={status} />}
        csvOf={ordersAsCsv}
      />
    </Screen>
  )
}
