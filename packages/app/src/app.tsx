import { text } from './languages/language.js'
import { office } from './loaded-office.js'
import { FailedScreen } from './parts/failed-screen.js'
import { Onboarding } from './screens/onboarding.js'
import { Unlock } from './screens/unlock.js'
import { Welcome } from './screens/welcome.js'
import type { Shop } from './session/opening.js'
import type { Session } from './session/session.js'

/** The screen for what the session is doing. */
export function App({ session }: { readonly session: Session }) {
  const phase = session.phase.value
  switch (phase.name) {
    case 'starting':
      return <p class="starting">{text('starting')}</p>
    case 'failed':
      return <FailedScreen error={phase.error} />
    case 'welcome':
      return <Welcome session={session} />
    case 'locked':
      return <Unlock session={session} owner={phase.owner} />
    case 'onboarding':
      return <Onboarding session={session} phase={phase} />
    case 'ready':
      return <Opened session={session} shop={phase.shop} />
  }
}

/** What is loaded while somebody gives a passphrase may not be there yet, or be lost. */
function Opened({ session, shop }: { readonly session: Session; readonly shop: Shop }) {
  const { module, error } = office.value
  if (module !== null) return <module.Office session={session} shop={shop} />
  if (error === null) return <p class="starting">{text('starting')}</p>
  return <FailedScreen error={error} />
}
