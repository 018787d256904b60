import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { text } from '../languages/language.js'
import { route } from '../routes.js'
import type { Session } from '../session/session.js'
import { Failure } from './form.js'

interface ScreenProps {
  readonly title: string
  readonly children: ComponentChildren
}

/** A screen. Its heading has the focus when it appears, so that a screen reader begins there. */
export function Screen({ title, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Before the screen is painted: later, it would take the focus from a field that somebody is in already.
  useLayoutEffect(() => {
    document.title = `${title} · ${text('appName')}`
    heading.current?.focus()
  }, [title])
  return (
    <main>
      <h1 ref={heading} tabIndex={-1}>
        <bdi>{title}</bdi>
      </h1>
      {children}
    </main>
  )
}

/** What stands around the screens of an open shop. */
export function Frame({ desk, session, children }: { desk: Desk; session: Session; children: ComponentChildren }) {
  const here = route.value.list
  const links = [
    ['till', text('navTill')],
    ['invoices', text('navInvoices')],
    ['orders', text('navOrders')],
    ['overview', text('navOverview')],
    ['wallets', text('navWallets')],
    ['webhooks', text('navWebhooks')],
    ['keys', text('navKeys')],
    ['settings', text('navSettings')],
  ] as const
  return (
    <>
      <header>
        <div class="bar">
          <nav>
            {links.map(([screen, name]) => (
              <a key={screen} href={`#/${screen}`} aria-current={here === screen ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
          <button type="button" onClick={() => void session.lock()}>
            {text('lockNow')}
          </button>
        </div>
        {desk.isSandbox.value && <p class="sandbox">{text('sandbox')}</p>}
        {desk.isLost.value && (
          <p class="lost" role="status">
            {text('liveLost')}
          </p>
        )}
        <Failure error={desk.trouble.value} />
      </header>
      {children}
    </>
  )
}
