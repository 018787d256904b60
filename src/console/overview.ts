import type { Sample } from '../metrics/history.js'
import { markup } from '../page/markup.js'
import type { Store } from '../store/store.js'
import { type ChartParts, chart } from './chart.js'
import type { ConsolePage } from './layout.js'

/** How the service is, and was in the last hour. */
export interface Condition {
  isReady(): boolean
  /** What is impaired, one sentence each. */
  degradations(): readonly string[]
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
  { overview, outbox }: Pick<Store, 'overview' | 'outbox'>,
  condition: Condition,
  nowMs: number,
): Promise<ConsolePage> {
  const records = Object.entries(await overview.counts())
  const { queued, attempted, waiting } = await outbox.depth()
  const [samples, degradations] = [condition.samples(), condition.degradations()]
  const isWell = condition.isReady() && degradations.length === 0
  const content = markup`<div class="status ${isWell ? 'paid' : 'waiting'}">
<p>${condition.isReady() ? 'The service is ready.' : 'The service is not ready.'}</p>
${degradations.map(
  (sentence) => markup`<p class="detail">${sentence}</p>
`,
)}</div>
<ul class="counts">
${records.map(
  ([kind, count]) => markup`<li><strong>${count.toLocaleString('en')}</strong> ${kind}</li>
`,
)}</ul>
<p>Webhooks: ${String(queued)} queued, ${String(attempted)} in progress, ${String(waiting)} waiting for another attempt.</p>
<h2>The last hour</h2>
<p><a href="">Refresh</a></p>
<div class="charts">
${CHARTS.map(({ of, ...about }) => chart({ ...about, points: samples.map((one) => ({ at: one.at, value: of(one) })), nowMs }))}</div>`
  return { title: 'Overview', section: '', content }
}
