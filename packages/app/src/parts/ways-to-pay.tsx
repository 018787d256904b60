import type { Desk } from '../desk/desk.js'
import { listText, text } from '../languages/language.js'
import { optionsFor, symbolOf, waysToPay } from '../orders/order-options.js'

/** In which coins a price can be paid, or why in none. */
export function WaysToPay({ desk, unit }: { readonly desk: Desk; readonly unit: string }) {
  const wallets = desk.wallets.list.value ?? []
  const ways = waysToPay(desk.info, desk.rates.value, unit)
  const payable = ways.filter((way) => optionsFor([way], wallets, desk.invoices.open.value).length > 0)
  if (payable.length === 0) {
    return (
      <p class="flaw" role="status">
        {text('orderNoCoins')} <a href="#/wallets">{text('getWallets')}</a>
      </p>
    )
  }
  const names = payable.map((way) => `${symbolOf(way)} (${way.network.name})`)
  return <p class="hint">{text('orderCoins', { coins: listText(names, 'disjunction') })}</p>
}
