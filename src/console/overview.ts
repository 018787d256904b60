import { markup } from '../page/markup.js'
import type { Store } from '../store/store.js'
import type { ConsolePage } from './layout.js'

/** How the service is, at a glance. */
export async function overviewPage({ overview, outbox }: Pick<Store, 'overview' | 'outbox'>): Promise<ConsolePage> {
  const records = Object.entries(await overview.counts())
  const { queued, attempted, waiting } = await outbox.depth()
  const content = markup`<ul class="counts">
${records.map(
  ([kind, count]) => markup`<li><strong>${count.toLocaleString('en')}</strong> ${kind}</li>
`,
)}</ul>
<p>Webhooks: ${String(queued)} queued, ${String(attempted)} in progress, ${String(waiting)} waiting for another attempt.</p>`
  return { title: 'Overview', section: '', content }
}
