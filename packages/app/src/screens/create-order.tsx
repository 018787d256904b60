import { useEffect, useState } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { decimalSeparator, readAmount } from '../invoices/amount-input.js'
import { language, text } from '../languages/language.js'
import { priceUnits } from '../orders/order-options.js'
import { FLAW_TEXTS } from '../parts/amount-flaw.js'
import { Choice, Field, Form, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { NameField, OrderNumberField } from '../parts/naming-fields.js'
import { WaysToPay } from '../parts/ways-to-pay.js'
import { goToCreated } from './go-to-created.js'

/** Of a price. The service takes more; no currency of people has them. */
export const PRICE_PLACES = 6

/** Writes an order. */
export function CreateOrder({ desk }: { readonly desk: Desk }) {
  const [name, setName] = useState('')
  const [price, setPrice] = useState('')
  const [wanted, setUnit] = useState('')
  const [orderNumber, setOrderNumber] = useState('')
  const [isChecked, setChecked] = useState(false)
  const work = useWork()
  useEffect(() => {
    void desk.readRates()
  }, [desk])
  const units = priceUnits(desk.info, desk.rates.value)
  const unit = units.find((one) => one === wanted) ?? units[0] ?? ''
  const read = readAmount(price, decimalSeparator(language.value.locale), PRICE_PLACES)
  const create = async () => {
    setChecked(true)
    if (!read.ok || name.trim() === '') return
    const asked = { price: { amount: read.amount, currency: unit }, name: name.trim(), orderNumber: orderNumber.trim() }
    await goToCreated('#/orders', () => desk.createOrder(asked))
  }
  return (
    <Screen title={text('createOrderTitle')}>
      <Form work={work} onSubmit={create} submit={text('create')}>
        <NameField value={name} onValue={setName} isChecked={isChecked} />
        <Field
          label={text('fieldPrice')}
          value={price}
          onValue={setPrice}
          flaw={isChecked && !read.ok ? text(FLAW_TEXTS[read.flaw], { coin: unit, places: PRICE_PLACES }) : null}
          input={{ inputMode: 'decimal', dir: 'ltr' }}
        />
        <Choice label={text('fieldUnit')} value={unit} onValue={setUnit} options={units.map((one) => [one, one])} />
        <OrderNumberField value={orderNumber} onValue={setOrderNumber} />
        <WaysToPay desk={desk} unit={unit} />
      </Form>
    </Screen>
  )
}
