import { invoicesAsCsv } from '../csv/tables.js'
import type { Desk } from '../desk/desk.js'
import type { InvoiceState } from '../invoices/state.js'
import { text } from '../languages/language.js'
import { Screen } from '../parts/frame.js'
import { amountOf } from '../parts/invoice-amount.js'
import { InvoiceStateMark, STATE_TEXTS } from '../parts/invoice-state.js'
import { FilterChoice, RecordList } from '../parts/record-list.js'
import { Unanswered } from '../parts/unanswered.js'

const STATES = Object.keys(STATE_TEXTS) as InvoiceState[]

/** The list of invoices, live. */
export function Invoices({ desk }: { readonly desk: Desk }) {
  const { invoices, info } = desk
  const currencies = [...new Set(info.networks.flatMap(({ tokens }) => tokens.map(({ symbol }) => symbol))), 'native']
  return (
    <Screen title={text('invoicesTitle')}>
      <p>
        <a class="button" href="#/invoices/new">
          {text('newInvoice')}
        </a>
      </p>
      <Unanswered desk={desk} />
      <RecordList
        list={invoices}
        rows={invoices.rows.value}
        kind="invoices"
        none={text('noInvoices')}
        filters={({ state, currency }, choose) => (
          <>
            <FilterChoice
              label={text('filterState')}
              value={state}
              onValue={(wanted) => choose({ state: wanted })}
              options={STATES.map((one) => [one, text(STATE_TEXTS[one])] as const)}
            />
            <FilterChoice
              label={text('filterCurrency')}
              value={currency}
              onValue={(wanted) => choose({ currency: wanted })}
              options={currencies.map((one) => [one, one] as const)}
            />
          </>
        )}
        figureOf={(invoice) => amountOf(desk, invoice)}
        markOf={(invoice) => <InvoiceStateMark invoice={invoice} />}
        csvOf={invoicesAsCsv}
      />
    </Screen>
  )
}
