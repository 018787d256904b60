import { useState } from 'preact/hooks'
import { invoicesAsCsv } from '../csv/tables.js'
import type { Desk } from '../desk/desk.js'
import type { Filter } from '../invoices/invoice-book.js'
import type { InvoiceState } from '../invoices/state.js'
import { text, timeText } from '../languages/language.js'
import { Choice, Failure, Field, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { amountOf } from '../parts/invoice-amount.js'
import { InvoiceStateMark, STATE_TEXTS } from '../parts/invoice-state.js'
import { SaveCsv } from '../parts/save-csv.js'
import { Unanswered } from '../parts/unanswered.js'

const ALL = 'all'
const STATES = Object.keys(STATE_TEXTS) as InvoiceState[]

/** The list of invoices, live. */
export function Invoices({ desk }: { readonly desk: Desk }) {
  const { invoices, info } = desk
  const { filter, rows, hasMore } = invoices
  const work = useWork()
  const [order, setOrder] = useState(filter.value.order)
  const choose = (change: Partial<Filter>) => void work.replace(() => invoices.choose({ ...filter.value, ...change }))
  const currencies = [...new Set(info.networks.flatMap(({ tokens }) => tokens.map(({ symbol }) => symbol))), 'native']
  return (
    <Screen title={text('invoicesTitle')}>
      <p>
        <a class="button" href="#/invoices/new">
          {text('newInvoice')}
        </a>
      </p>
      <Unanswered desk={desk} />
      <search>
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            choose({ order })
          }}
        >
          <Field label={text('searchOrder')} value={order} onValue={setOrder} input={{ type: 'search' }} />
          <Choice
            label={text('filterState')}
            value={filter.value.state ?? ALL}
            onValue={(value) => choose({ state: STATES.find((state) => state === value) ?? null })}
            options={[[ALL, text('filterAll')], ...STATES.map((state) => [state, text(STATE_TEXTS[state])] as const)]}
          />
          <Choice
            label={text('filterCurrency')}
            value={filter.value.currency ?? ALL}
            onValue={(value) => choose({ currency: value === ALL ? null : value })}
            options={[[ALL, text('filterAll')], ...currencies.map((currency) => [currency, currency] as const)]}
          />
        </form>
      </search>
      <Failure error={work.error} />
      {rows.value.length === 0 && (
        <p>{text(hasMore.value ? 'loading' : isFiltered(filter.value) ? 'nothingFound' : 'noInvoices')}</p>
      )}
      <ul class="rows">
        {rows.value.map((invoice) => (
          <li key={invoice.id}>
            <a href={`#/invoices/${invoice.id}`}>
              <bdi class="name">{invoice.name}</bdi>
              <span class="figure" dir="ltr">
                {amountOf(desk, invoice)}
              </span>
              <span class="quiet">
                {invoice.orderNumber !== null && (
                  <>
                    <bdi>{invoice.orderNumber}</bdi> ·{' '}
                  </>
                )}
                {timeText(invoice.created_at)}
              </span>
              <InvoiceStateMark invoice={invoice} />
            </a>
          </li>
        ))}
      </ul>
      {hasMore.value && rows.value.length > 0 && (
        <button type="button" disabled={work.isWorking} onClick={() => void work.run(() => invoices.more())}>
          {text('loadMore')}
        </button>
      )}
      <SaveCsv name="invoices" count={rows.value.length} csv={() => invoicesAsCsv(rows.value)} />
    </Screen>
  )
}

function isFiltered({ order, state, currency }: Filter): boolean {
  return order !== '' || state !== null || currency !== null
}
