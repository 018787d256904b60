import { formatAmount, parseInvoiceAmount } from '../../src/domain/amount.js'
import { type InvoiceRequest, parseInvoiceRequest, refuseInvoice } from '../../src/domain/invoice.js'
import { isPaid, paymentOf } from '../../src/domain/payment.js'
import { readJsonObject } from '../../src/http/json.js'
import type { Case } from './case.js'
import { functionCase } from './function-case.js'
import { draft } from './signed-messages.js'

const INPUTS = 64
const ATOMS = 10n ** 18n
const numbers = Array.from({ length: INPUTS }, (_, n) => n)

export function domainCases(): readonly Case[] {
  return [...amountCases(), ...bodyCases(), ...decisionCases()]
}

function amountCases(): readonly Case[] {
  const texts = numbers.map((n) => `12.3456${n + 11}`)
  const amounts = texts.map(atoms)
  return [
    functionCase({
      name: 'parse an amount',
      inputs: texts,
      run: parseInvoiceAmount,
      isRight: (amount, text) => amount === BigInt(text.replace('.', '').padEnd(20, '0')),
    }),
    functionCase({
      name: 'format an amount',
      inputs: amounts,
      run: formatAmount,
      isRight: (text, amount) => atoms(text) === amount,
    }),
    functionCase({
      name: 'compare two amounts',
      inputs: amounts.map((amount, n) => ({ amount, confirmed: amount + BigInt(n % 2) - 1n, isEnough: n % 2 === 1 })),
      run: ({ amount, confirmed }) => isPaid(amount, confirmed),
      isRight: (is, { isEnough }) => is === isEnough,
    }),
  ]
}

function bodyCases(): readonly Case[] {
  return [
    functionCase({
      name: 'parse the JSON of a creation',
      inputs: numbers.map((n) => Buffer.from(JSON.stringify(draft(n)))),
      run: readJsonObject,
      isRight: (body, bytes) => body.ok && JSON.stringify(body.value) === bytes.toString(),
    }),
    functionCase({
      name: 'check the body of a creation',
      inputs: numbers.map(draft),
      run: (body) => parseInvoiceRequest(body, 'owner'),
      isRight: (request, body) => request.ok && request.value.reference === body['reference'],
    }),
  ]
}

function decisionCases(): readonly Case[] {
  const requests = numbers.map(request)
  const no = () => false
  const none = () => null
  const free = {
    unusableWallet: none,
    isReferenceTaken: no,
    currenciesInstead: none,
    areCoinsMixed: no,
    walletOfAmount: none,
    takenWallet: none,
    crowdedWallet: none,
    isRepeated: no,
  }
  const taken = { ...free, walletOfAmount: () => 'w' }
  return [
    functionCase({
      name: 'decide a creation that nothing speaks against',
      inputs: requests,
      run: (asked) => refuseInvoice(asked, free),
      isRight: (refusal) => refusal === null,
    }),
    functionCase({
      name: 'refuse a creation whose amount is taken',
      inputs: requests,
      run: (asked) => refuseInvoice(asked, taken),
      isRight: (refusal) => refusal?.code === 'amount_in_use',
    }),
    functionCase({
      name: 'state a payment from its sums',
      inputs: numbers.map((n) => {
        const received = { confirmed: BigInt(n) * ATOMS, pending: ATOMS }
        return { amount: 50n * ATOMS, received: { ...received, own: received } }
      }),
      run: ({ amount, received }) => paymentOf(amount, received),
      isRight: ({ status }, { amount, received }) => (status === 'paid') === received.confirmed >= amount,
    }),
  ]
}

function request(n: number): InvoiceRequest {
  const parsed = parseInvoiceRequest(draft(n), 'owner')
  if (!parsed.ok) throw new Error(parsed.failure.message)
  return parsed.value
}

function atoms(text: string): bigint {
  const amount = parseInvoiceAmount(text)
  if (amount === null) throw new Error(`${text} is no amount`)
  return amount
}
