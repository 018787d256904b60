import type { Desk } from '../desk/desk.js'
import { type Creation, mayRepeat } from '../invoices/outbox.js'
import { text } from '../languages/language.js'

/** What was sent and has no answer. */
export function Unanswered({ desk }: { readonly desk: Desk }) {
  const pending = desk.pending.value
  if (pending.length === 0) return null
  return (
    <section class="unanswered" aria-label={text('unanswered')}>
      <h2>{text('unanswered')}</h2>
      <p>{text('unansweredText')}</p>
      <ul>
        {pending.map(({ key, creation, signedBy, at }) => (
          <li key={key}>
            <bdi>{creation.draft.name}</bdi> <span dir="ltr">{sumOf(creation)}</span>
            {!mayRepeat({ signedBy, at }, desk.shop, Date.now()) && (
              <>
                <p class="flaw">{text('unansweredOld')}</p>
                <button type="button" onClick={() => void desk.removePending(key)}>
                  {text('remove')}
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function sumOf({ kind, draft }: Creation): string {
  const { amount, currency } = kind === 'order' ? draft.price : draft
  return `${amount} ${currency ?? ''}`
}
