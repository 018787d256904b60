import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { text, timeText } from '../languages/language.js'
import type { Listed, LiveList } from '../lists/live-list.js'
import { Choice, Failure, Field, useWork } from './form.js'
import { SaveCsv } from './save-csv.js'

interface Titled extends Listed {
  readonly name: string
  readonly orderNumber: string | null
}

interface Searched {
  readonly orderNumber: string
}

interface RecordListProps<T extends Titled, F extends Searched> {
  readonly list: LiveList<T, F>
  /**
   * Those of the list. A screen reads them, so that it is the screen that is drawn again: Preact keeps every tree of a component that draws
   * itself again where another one passes it on as a child, when parts of it are left as they are.
   */
  readonly rows: readonly T[]
  /** The first part of the address of each, and the name of the file. */
  readonly kind: 'invoices' | 'orders'
  /** What is said when there is none, and no filter. */
  readonly none: string
  /** What narrows the list beside the order number. */
  readonly filters: (filter: F, choose: (change: Partial<F>) => void) => ComponentChildren
  readonly figureOf: (record: T) => string
  readonly markOf: (record: T) => ComponentChildren
  readonly csvOf: (records: readonly T[]) => string
}

/** A list of what people know by its name and its order number, with its search, live. */
export function RecordList<T extends Titled, F extends Searched>(props: RecordListProps<T, F>) {
  const { list, rows, kind, none, filters, figureOf, markOf, csvOf } = props
  const { filter, hasMore } = list
  const work = useWork()
  const [orderNumber, setOrderNumber] = useState(filter.value.orderNumber)
  const choose = (change: Partial<F>) => void work.replace(() => list.choose({ ...filter.value, ...change }))
  return (
    <>
      <search>
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            void work.replace(() => list.choose({ ...filter.value, orderNumber }))
          }}
        >
          <Field label={text('searchOrder')} value={orderNumber} onValue={setOrderNumber} input={{ type: 'search' }} />
          {filters(filter.value, choose)}
        </form>
      </search>
      <Failure error={work.error} />
      {rows.length === 0 && (
        <p>{hasMore.value ? text('loading') : isFiltered(filter.value) ? text('nothingFound') : none}</p>
      )}
      <ul class="rows">
        {rows.map((record) => (
          <li key={record.id}>
            <a href={`#/${kind}/${record.id}`}>
              <bdi class="name">{record.name}</bdi>
              <span class="figure" dir="ltr">
                {figureOf(record)}
              </span>
              <span class="quiet">
                {record.orderNumber !== null && (
                  <>
                    <bdi>{record.orderNumber}</bdi> ·{' '}
                  </>
                )}
                {timeText(record.created_at)}
              </span>
              {markOf(record)}
            </a>
          </li>
        ))}
      </ul>
      {hasMore.value && rows.length > 0 && (
        <button type="button" disabled={work.isWorking} onClick={() => void work.run(() => list.more())}>
          {text('loadMore')}
        </button>
      )}
      <SaveCsv name={kind} count={rows.length} csv={() => csvOf(rows)} />
    </>
  )
}

const ALL = 'all'

interface FilterChoiceProps<V extends string> {
  readonly label: string
  /** Null for all. */
  readonly value: V | null
  readonly onValue: (value: V | null) => void
  readonly options: readonly (readonly [value: V, name: string])[]
}

/** One of some values, or all. */
export function FilterChoice<V extends string>({ label, value, onValue, options }: FilterChoiceProps<V>) {
  return (
    <Choice
      label={label}
      value={value ?? ALL}
      onValue={(wanted) => onValue(options.find(([one]) => one === wanted)?.[0] ?? null)}
      options={[[ALL, text('filterAll')], ...options]}
    />
  )
}

function isFiltered(filter: Searched): boolean {
  return Object.values(filter).some((value) => value !== null && value !== '')
}
