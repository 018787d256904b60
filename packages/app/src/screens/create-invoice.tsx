import { useState } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { newKey } from '../desk/platform.js'
import { decimalSeparator, readAmount } from '../invoices/amount-input.js'
import { draftOf } from '../invoices/draft.js'
import type { TextKey } from '../languages/en.js'
import { language, text } from '../languages/language.js'
import { FLAW_TEXTS } from '../parts/amount-flaw.js'
import { Choice, Failure, Field, Form, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { NameField, OrderNumberField } from '../parts/naming-fields.js'
import { coinName, currenciesOn, networkOf, placesOf } from '../wallets/coins.js'
import { chooseWallet } from '../wallets/pool.js'
import { goToCreated } from './go-to-created.js'

const EXPIRIES = [
  ['3600', 'expiryHour'],
  ['86400', 'expiryDay'],
  ['604800', 'expiryWeek'],
  ['', 'expiryNone'],
] as const satisfies readonly (readonly [string, TextKey])[]

const FIRST_EXPIRY = EXPIRIES[0][0]

/** Writes an invoice. Wallets are chosen by themselves: a free one on each network. */
export function CreateInvoice({ desk }: { readonly desk: Desk }) {
  const { info } = desk
  const wallets = desk.wallets.list.value ?? []
  const open = desk.invoices.open.value
  const first = info.networks.find(({ id }) => wallets.some(({ network }) => network === id)) ?? info.networks[0]
  const [name, setName] = useState('')
  const [amount, setAmount] = useState('')
  const [given, setNetworks] = useState<readonly string[] | null>(null)
  const networkIds = given ?? (first === undefined ? [] : [first.id])
  const [wanted, setCurrency] = useState('')
  const [orderNumber, setOrderNumber] = useState('')
  const [expiry, setExpiry] = useState<string>(FIRST_EXPIRY)
  const [isChecked, setChecked] = useState(false)
  const work = useWork()

  const networks = networkIds.flatMap((id) => networkOf(info, id) ?? [])
  const currencies = currenciesOn(networks)
  const currency = currencies.find((one) => one === wanted) ?? currencies[0] ?? 'native'
  const places = placesOf(currency, networks)
  const read = readAmount(amount, decimalSeparator(language.value.locale), places)
  const choices = networkIds.map((id) => ({ id, choice: chooseWallet(wallets, id, open) }))
  const missing = choices.find(({ choice }) => choice === null)
  const nameOf = (id: string) => networkOf(info, id)?.name ?? id

  const create = async () => {
    setChecked(true)
    if (!read.ok || name.trim() === '' || networks.length === 0 || missing !== undefined) return
    const chosen = choices.flatMap(({ choice }) => choice ?? [])
    const expiresInSeconds = expiry === '' ? null : Number(expiry)
    const { amount: value } = read
    const draft = draftOf(
      {
        name: name.trim(),
        amount: value,
        currency,
        wallets: chosen,
        orderNumber: orderNumber.trim(),
        expiresInSeconds,
      },
      `app-${newKey()}`,
    )
    await goToCreated('#/invoices', () => desk.create({ kind: 'invoice', draft }))
  }

  return (
    <Screen title={text('createTitle')}>
      <Form work={work} onSubmit={create} submit={text('create')}>
        <NameField value={name} onValue={setName} isChecked={isChecked} />
        <Field
          label={text('fieldAmount')}
          value={amount}
          onValue={setAmount}
          flaw={
            isChecked && !read.ok ? text(FLAW_TEXTS[read.flaw], { coin: coinName(currency, networks), places }) : null
          }
          input={{ inputMode: 'decimal', dir: 'ltr' }}
        />
        <fieldset>
          <legend>{text('fieldNetwork')}</legend>
          {info.networks.map(({ id, name: label }) => (
            <label key={id} class="tick">
              <input
                type="checkbox"
                checked={networkIds.includes(id)}
                onChange={({ currentTarget: { checked } }) =>
                  setNetworks(checked ? [...networkIds, id] : networkIds.filter((other) => other !== id))
                }
              />
              {label}
            </label>
          ))}
          {isChecked && networks.length === 0 && (
            <p class="flaw" role="alert">
              {text('chooseNetwork')}
            </p>
          )}
        </fieldset>
        <Choice
          label={text('fieldCurrency')}
          value={currency}
          onValue={setCurrency}
          options={currencies.map((one) => [one, coinName(one, networks)])}
        />
        <OrderNumberField value={orderNumber} onValue={setOrderNumber} />
        <Choice
          label={text('fieldExpiry')}
          value={expiry}
          onValue={setExpiry}
          options={EXPIRIES.map(([seconds, key]) => [seconds, text(key)])}
        />
        {choices.map(({ id, choice }) => {
          if (choice?.isShared === false) return null
          if (choice === null) return <NoWallet key={id} desk={desk} network={id} name={nameOf(id)} />
          return (
            <p key={id} class="flaw" role="status">
              {text('walletShared', { network: nameOf(id) })}
            </p>
          )
        })}
      </Form>
    </Screen>
  )
}

interface NoWalletProps {
  readonly desk: Desk
  /** Its id. */
  readonly network: string
  readonly name: string
}

/** There is no wallet on a network. What was typed stays while one is got here. */
function NoWallet({ desk, network, name }: NoWalletProps) {
  const work = useWork()
  return (
    <>
      <p class="flaw" role="status">
        {text('walletNone', { network: name })}
      </p>
      {desk.wallets.canGet && (
        <button type="button" disabled={work.isWorking} onClick={() => void work.run(() => desk.wallets.get(network))}>
          {text(work.isWorking ? 'working' : 'getWallets')}
        </button>
      )}
      <Failure error={work.error} />
    </>
  )
}
