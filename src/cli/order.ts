import { ORDER_OPTIONS_MAX } from '../domain/order.js'
import { timeText } from '../listing/column.js'
import { type OrderRecord, orderColumns } from '../listing/orders.js'
import { onService } from './api.js'
import type { BillhookCommand, Given } from './billhook-command.js'
import { collected, text, texts } from './flags.js'
import { askedText, orderLines, orderPaymentText } from './order-text.js'
import { endCommands, getCommand, listCommand, type Payable } from './payable.js'
import { type Created, checkCreation, create, creationFlags } from './payable-creation.js'
import { watchCommand } from './payable-watch.js'

const ORDERS: Payable<OrderRecord> = {
  noun: 'order',
  columns: orderColumns,
  // Each has up to ten invoices.
  pageSize: 100,
  query: {},
  filters: ['status', 'order-number'],
  paymentText: orderPaymentText,
  lines: orderLines,
  endOf: ({ status, voided_at: voidedAt }) => {
    if (status === 'paid') return 'paid'
    return voidedAt === null ? null : 'not paid'
  },
}

export function orderCommands(program: BillhookCommand): void {
  const order = program.add('order', 'Create, read, accept, void and watch orders.')
  createCommand(order)
  getCommand(order, ORDERS)
  listCommand(order, ORDERS).option(
    '--status <status>',
    'Only orders that are unpaid, partly paid (partly), paid, expired or void.',
  )
  endCommands(order, ORDERS)
  watchCommand(order, ORDERS)
}

function createCommand(order: BillhookCommand): void {
  const command = onService(order.add('create', 'Create an order: a price, and ways to pay it.'))
    .option('--price <price>', 'What it costs, such as "25.00 EUR".')
    .option(
      '--option <currency:wallets>',
      `A way to pay, such as USDT:wallet-1,wallet-2. With an amount before it, such as "0.0125 native:wallet-3", no rate is asked for. May be given up to ${ORDER_OPTIONS_MAX} times.`,
      collected,
    )
  const checkAll = checkCreation('order', ['price', 'option'])
  creationFlags(command, 'order').runs(createOrder, (given, problems) => {
    checkAll(given, problems)
    const price = text('price', given.options)
    if (price !== undefined && priceOf(price) === null) {
      problems.push(`--price must be an amount and a currency, such as "25.00 EUR", not ${JSON.stringify(price)}.`)
    }
    const options = texts('option', given.options)
    if (options.length > ORDER_OPTIONS_MAX) {
      problems.push(`--option may be given up to ${ORDER_OPTIONS_MAX} times, not ${options.length} times.`)
    }
    for (const option of options) {
      if (optionOf(option) !== null) continue
      problems.push(
        `--option must be <currency>:<wallets> or "<amount> <currency>:<wallets>", not ${JSON.stringify(option)}.`,
      )
    }
  })
}

/** What the API answers of a new order. */
interface CreatedOrder extends Created {
  readonly expires_at: number
  readonly invoices: readonly Readonly<Record<'id' | 'amount' | 'currency', string> & { rate: string | null }>[]
}

async function createOrder(given: Given): Promise<number> {
  const price = priceOf(text('price', given.options) ?? '')
  const options = texts('option', given.options).map(optionOf)
  return await create<CreatedOrder>(given, {
    noun: 'order',
    body: { price, options },
    tell: ({ expires_at: expiresAt, invoices }) => [
      ...invoices.map((one, i) => [`Option ${i + 1}`, askedText(one, one.rate, price?.currency ?? '')] as const),
      ['Expires', timeText(expiresAt)],
    ],
  })
}

const PRICE = /^(\S+) (\S+)$/
/** A currency has no colon. An id of a wallet may have anything but commas. */
const OPTION = /^(?:(\S+) )?([^\s:]+):(.+)$/s

/** The price that a text names; null if it has another form. Whether the amount is one, the service says. */
function priceOf(text: string): { readonly amount: string; readonly currency: string } | null {
  const [, amount, currency] = PRICE.exec(text) ?? []
  return amount === undefined || currency === undefined ? null : { amount, currency }
}

/** The option that a text names, likewise. */
function optionOf(text: string) {
  const [, amount, currency, wallets] = OPTION.exec(text) ?? []
  return currency === undefined || wallets === undefined ? null : { walletIds: wallets.split(','), currency, amount }
}
