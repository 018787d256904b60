import type { Suspicion } from '../invoices/suspicion.js'
import { text } from '../languages/language.js'

/** What is wrong with where something pays to, or with what was recorded. */
export function Warnings({ suspicions }: { readonly suspicions: readonly Suspicion[] }) {
  if (suspicions.length === 0) return null
  return (
    <div class="failure" role="alert">
      <h2>{text('warnTitle')}</h2>
      {suspicions.map((suspicion) => (
        <p key={JSON.stringify(suspicion)}>{wordsFor(suspicion)}</p>
      ))}
    </div>
  )
}

function wordsFor(suspicion: Suspicion): string {
  switch (suspicion.kind) {
    case 'foreign':
      return text('warnForeign', { wallet: suspicion.wallet })
    case 'address':
      return text('warnAddress', { now: suspicion.now, first: suspicion.first })
    case 'draft':
      return text('warnDraft', { recorded: suspicion.recorded, asked: suspicion.asked, field: suspicion.field })
  }
}
