import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { decimalSeparator, readAmount } from '../invoices/amount-input.js'
import { language, text } from '../languages/language.js'
import { priceUnits } from '../orders/order-options.js'
import { Choice } from '../parts/form.js'
import { WaysToPay } from '../parts/ways-to-pay.js'
import { pressed } from '../till/till-state.js'
import { PRICE_PLACES } from './create-order.js'

/** Keys of a keyboard that do something else than what they say. */
const KEYS: Readonly<Record<string, string>> = { Backspace: 'back', Escape: 'clear', Delete: 'clear' }

/** The amount that a customer has to pay. */
export function Keypad({ desk }: { readonly desk: Desk }) {
  const { till, info, rates } = desk
  const [typed, setTyped] = useState('')
  const separator = decimalSeparator(language.value.locale)
  const units = priceUnits(info, rates.value)
  const unit = units.find((one) => one === till.unit.value) ?? units[0] ?? ''
  // Digits and one separator: nothing can be read in two ways.
  const read = readAmount(typed.replace(separator, '.'), '.', PRICE_PLACES)
  const charge = async () => {
    if (!read.ok) return
    await till.chooseUnit(unit)
    await till.charge(read.amount)
  }
  const press = (key: string) => setTyped(pressed(typed, key, separator))
  useEffect(() => {
    void desk.readRates()
  }, [desk])
  // Before the next key: Enter charges what is on the screen, however fast somebody types.
  useLayoutEffect(() => {
    const onKey = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      if (ctrlKey || metaKey || altKey || target instanceof HTMLSelectElement) return
      if (key === 'Enter' && !(target instanceof HTMLElement && target.closest('button, a'))) void charge()
      else setTyped((before) => pressed(before, KEYS[key] ?? (key === '.' || key === ',' ? separator : key), separator))
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  return (
    <>
      <output class="figures" aria-label={text('tillAmount')} dir="ltr">
        {typed === '' ? '0' : typed} {unit}
      </output>
      <div class="keypad" dir="ltr">
        {['1', '2', '3', '4', '5', '6', '7', '8', '9', separator, '0'].map((key) => (
          <button key={key} type="button" onClick={() => press(key)}>
            {key}
          </button>
        ))}
        <button type="button" aria-label={text('tillBack')} onClick={() => press('back')}>
          ⌫
        </button>
      </div>
      <button type="button" class="main charge" disabled={!read.ok} onClick={() => void charge()}>
        {text('tillCharge')}
      </button>
      <Choice
        label={text('fieldUnit')}
        value={unit}
        onValue={(value) => void till.chooseUnit(value)}
        options={units.map((one) => [one, one])}
      />
      <WaysToPay desk={desk} unit={unit} />
    </>
  )
}
