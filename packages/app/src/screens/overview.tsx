import type { Desk } from '../desk/desk.js'
import { type Days, lastDates, receivedOn } from '../events/day-totals.js'
import { language, text } from '../languages/language.js'
import { EventLog } from '../parts/event-log.js'
import { Screen } from '../parts/frame.js'
import { sumsText } from '../parts/sums-text.js'

const SOON_MS = 3_600_000
const CHART_DAYS = 30
const WEEK_DAYS = 7
/** Of the chart, in its own units. */
const HEIGHT = 60
const STEP = 10
const BAR = 8

/** How the shop stands. */
export function Overview({ desk }: { readonly desk: Desk }) {
  const { days } = desk.tally.value
  const now = Date.now()
  const open = desk.invoices.open.value
  const soon = open.filter(({ expires_at }) => expires_at !== null && expires_at - now < SOON_MS)
  const week = lastDates(WEEK_DAYS, now)
  const failed = week.reduce((sum, date) => sum + (days[date]?.failed ?? 0), 0)
  const month = receivedOn(days, lastDates(CHART_DAYS, now))
  const spans = [
    [text('receivedToday'), receivedOn(days, lastDates(1, now))],
    [text('received7'), receivedOn(days, week)],
    [text('received30'), month],
  ] as const
  return (
    <Screen title={text('overviewTitle')}>
      <h2>{text('receivedTitle')}</h2>
      <dl>
        {spans.map(([name, sums]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{sumsText(sums)}</dd>
          </div>
        ))}
      </dl>
      {Object.keys(month).map((coin) => (
        <Chart key={coin} coin={coin} days={days} now={now} />
      ))}
      <h2>{text('openInvoices')}</h2>
      <p>
        <a href="#/invoices">{open.length}</a>
      </p>
      {soon.length > 0 && <p>{text('expiringSoon', { count: soon.length })}</p>}
      <h2>{text('failingWebhooks')}</h2>
      <p>
        <a href="#/webhooks">{failed}</a>
      </p>
      <h2>{text('timeline')}</h2>
      <EventLog desk={desk} fits={everything} />
    </Screen>
  )
}

const everything = () => true

/** A bar for each day. Bars show proportions; the sums are exact and stand beside them. */
function Chart({ coin, days, now }: { readonly coin: string; readonly days: Days; readonly now: number }) {
  const dates = lastDates(CHART_DAYS, now)
  const amounts = dates.map((date) => days[date]?.received[coin] ?? '0')
  const highest = Math.max(...amounts.map(Number), Number.MIN_VALUE)
  const format = new Intl.DateTimeFormat(language.value.locale, { dateStyle: 'medium' })
  return (
    <figure>
      <figcaption>{text('chartOf', { coin })}</figcaption>
      <svg
        class="chart"
        role="img"
        aria-label={text('chartOf', { coin })}
        viewBox={`0 0 ${CHART_DAYS * STEP} ${HEIGHT}`}
      >
        {dates.map((date, index) => {
          const amount = amounts[index] ?? '0'
          const height = Math.max(0, (Number(amount) / highest) * HEIGHT)
          return (
            <rect key={date} x={index * STEP} y={HEIGHT - height} width={BAR} height={height}>
              <title>
                {text('chartDay', { date: format.format(new Date(`${date}T12:00`)), amount: `${amount} ${coin}` })}
              </title>
            </rect>
          )
        })}
      </svg>
    </figure>
  )
}
