import { useMemo } from 'preact/hooks'
import { Desk } from './desk/desk.js'
import { text } from './languages/language.js'
import { Failure } from './parts/form.js'
import { Frame, Screen } from './parts/frame.js'
import { Guarded } from './parts/guarded.js'
import { route } from './routes.js'
import { CreateInvoice } from './screens/create-invoice.js'
import { CreateOrder } from './screens/create-order.js'
import { InvoicePage } from './screens/invoice.js'
import { Invoices } from './screens/invoices.js'
import { Keys } from './screens/keys.js'
import { OrderPage } from './screens/order.js'
import { Orders } from './screens/orders.js'
import { Overview } from './screens/overview.js'
import { Settings } from './screens/settings.js'
import { TillScreen } from './screens/till.js'
import { Wallets } from './screens/wallets.js'
import { Webhooks } from './screens/webhooks.js'
import type { Shop } from './session/opening.js'
import type { Session } from './session/session.js'
import { Database } from './storage/database.js'

/** An open shop. It is loaded behind the first screen (`loaded-office.ts`). */
export function Office({ session, shop }: { readonly session: Session; readonly shop: Shop }) {
  const desk = useMemo(() => {
    const opened = new Desk(shop, session, Database.open())
    void opened.open()
    return opened
  }, [shop, session])
  const failure = desk.failure.value
  return (
    <Frame desk={desk} session={session}>
      {failure === null ? (
        <Guarded key={`${route.value.screen} ${route.value.id}`}>
          <CurrentScreen desk={desk} session={session} />
        </Guarded>
      ) : (
        <Screen title={text('errorTitle')}>
          <Failure error={failure} />
          <button type="button" class="main" onClick={() => void desk.open()}>
            {text('tryAgain')}
          </button>
        </Screen>
      )}
    </Frame>
  )
}

function CurrentScreen({ desk, session }: { readonly desk: Desk; readonly session: Session }) {
  const { screen, id } = route.value
  switch (screen) {
    case 'invoices':
      return <Invoices desk={desk} />
    case 'create-invoice':
      return <CreateInvoice desk={desk} />
    case 'invoice':
      return <InvoicePage key={id} desk={desk} id={id} />
    case 'orders':
      return <Orders desk={desk} />
    case 'create-order':
      return <CreateOrder desk={desk} />
    case 'order':
      return <OrderPage key={id} desk={desk} id={id} />
    case 'till':
      return <TillScreen desk={desk} />
    case 'overview':
      return <Overview desk={desk} />
    case 'webhooks':
      return <Webhooks desk={desk} />
    case 'keys':
      return <Keys desk={desk} session={session} />
    case 'wallets':
      return <Wallets desk={desk} />
    case 'settings':
      return <Settings desk={desk} session={session} />
  }
}
