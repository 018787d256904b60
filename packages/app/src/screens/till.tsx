import { useEffect } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { text } from '../languages/language.js'
import { Failure, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { Keypad } from './keypad.js'
import { TillOrder } from './till-order.js'

/** The till: amount, the customer's coin, the code, paid, next. */
export function TillScreen({ desk }: { readonly desk: Desk }) {
  const { till } = desk
  const state = till.state.value
  const work = useWork()
  /** False where the browser ended between an answer and what follows from it. */
  const isPending = state.step === 'sent' && desk.pending.value.some(({ key }) => key === state.key)
  const orderId = state.step === 'order' ? state.order : null
  // Behind a reload the order is not known yet.
  useEffect(() => {
    if (orderId === null || desk.orders.find(orderId) !== undefined) return
    void work.run(async () => {
      await desk.orders.read(orderId)
    })
  }, [desk, orderId])
  return (
    <Screen title={text('tillTitle')}>
      <Failure error={work.error ?? till.failure.value} />
      {state.step === 'amount' && <Keypad desk={desk} />}
      {state.step === 'sent' && <p role="status">{text(isPending ? 'tillSent' : 'tillUnknown')}</p>}
      {state.step === 'order' && (
        <TillOrder desk={desk} order={desk.orders.find(state.order)} invoiceId={state.invoice} />
      )}
      {((state.step === 'sent' && !isPending) || (state.step === 'order' && work.error !== null)) && (
        <button type="button" onClick={() => void till.next()}>
          {text('tillNext')}
        </button>
      )}
    </Screen>
  )
}
