import { type ClockReading, offsetText } from '../domain/clock-offset.js'
import type { DELIVERY_STATES } from '../domain/webhook.js'
import type { Sample } from '../metrics/history.js'
import { type Markup, markup } from '../page/markup.js'
import { isUnreadable } from '../store/refusals.js'
import type { Store } from '../store/store.js'
import { type ChartParts, chart } from './chart.js'
import type { ConsolePage } from './layout.js'
import { links, OWNER_LISTS } from './links.js'
import { facts, moment } from './table.js'

type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Which service it is. */
export interface ServiceAbout {
  readonly version: string
  /** Where clients reach it; empty until it listens. */
  readonly url: string
  readonly isStrict: boolean
  /** Unix ms. */
  readonly startedAt: number
  readonly dataDirectory: string
}

/** How the service is, and was in the last hour. */
export interface Condition {
  about(): ServiceAbout
  isReady(): boolean
  /** What is impaired, one sentence each. */
  degradations(): readonly string[]
  /** How far the machine's clock is off; null while nobody can tell. */
  clock(): ClockReading | null
  /** The samples of the last hour, oldest first. */
  samples(): readonly Sample[]
}

const CHARTS: readonly (Pick<ChartParts, 'title' | 'unit'> & { readonly of: (sample: Sample) => number })[] = [
  { title: 'Invoices created', unit: 'a second', of: ({ creations }) => creations },
  { title: 'Deposits reported', unit: 'a second', of: ({ deposits }) => deposits },
  { title: 'Webhooks delivered', unit: 'a second', of: ({ deliveries }) => deliveries },
  { title: 'Signatures verified', unit: 'a second', of: ({ verifications }) => verifications },
  { title: 'Requests refused', unit: 'a second', of: ({ refused }) => refused },
  { title: 'Longest delay of the event loop', unit: 'ms', of: ({ loopDelay }) => loopDelay },
  { title: 'Resident memory, database pages included', unit: 'MiB', of: ({ memory }) => memory },
]

/** How the service is, at a glance. */
export async function overviewPage(
  store: Pick<Store, 'overview' | 'outbox'>,
  condition: Condition,
  nowMs: number,
): Promise<ConsolePage> {
  // Before what is impaired is asked: reading may show it.
  const contents = await contentsOf(store)
  const [samples, degradations] = [condition.samples(), condition.degradations()]
  const isWell = condition.isReady() && degradations.length === 0
  const content = markup`<div class="status ${isWell ? 'paid' : 'waiting'}">
<p>${condition.isReady() ? 'The service is ready.' : 'The service is not ready.'}</p>
${degradations.map(
  (sentence) => markup`<p class="detail">${sentence}</p>
`,
)}</div>
<p><a href="">Refresh</a></p>
${contents}
${aboutFacts(condition.about(), condition.clock())}
<h2>The last hour</h2>
<div class="charts">
${CHARTS.map(({ of, ...about }) => chart({ ...about, points: samples.map((one) => ({ at: one.at, value: of(one) })), nowMs }))}</div>`
  return { title: 'Overview', section: '', content }
}

/** What the store holds. The rest is what an operator needs most while it cannot be read. */
async function contentsOf({ overview, outbox }: Pick<Store, 'overview' | 'outbox'>): Promise<Markup> {
  try {
    const records = Object.entries(await overview.counts())
    const { queued, attempted, waiting } = await outbox.depth()
    return markup`<ul class="counts">
${records.map(([kind, count]) => counted(kind, count))}</ul>
<p>Webhooks: ${inState(queued, 'queued', 'queued')}, ${inState(attempted, 'sending', 'in progress')}, ${inState(waiting, 'waiting', 'waiting for another attempt')}.</p>`
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return markup`<p>The store cannot be read now.</p>`
  }
}

/** Identities have no list. */
function counted(kind: string, count: number): Markup {
  const list = OWNER_LISTS.find((one) => one === kind)
  const name = list === undefined ? markup`<span>${kind}</span>` : markup`<a href="${links[list]}">${kind}</a>`
  return markup`<li><strong>${count.toLocaleString('en')}</strong> ${name}</li>
`
}

function inState(count: number, state: DeliveryState, told: string): Markup {
  const text = `${count.toLocaleString('en')} ${told}`
  return count === 0 ? markup`${text}` : markup`<a href="${links.inState('deliveries', state)}">${text}</a>`
}

function aboutFacts(
  { version, url, isStrict, startedAt, dataDirectory }: ServiceAbout,
  clock: ClockReading | null,
): Markup {
  return facts([
    ['Version', `Billhook ${version}`],
    ['Mode', isStrict ? 'strict' : 'not strict'],
    ['Address', url === '' ? null : url],
    ['Running since', moment(startedAt)],
    ['Clock', clock === null ? 'not known to be right' : offsetText(clock.offsetMs)],
    ['Data directory', dataDirectory],
  ])
}
