import type { Currency } from '../../../src/domain/currency.js'
import { type Failure, type Outcome, succeed } from '../../../src/domain/failure.js'
import type { InvoiceRequest } from '../../../src/domain/invoice.js'

/** A creation whose signature was good. Whether its key may create invoices, and for whom, is not known yet. */
export interface VerifiedCommand {
  /** Counts the commands of a thread. */
  readonly no: number
  /** The key header as sent. */
  readonly keyText: string
  /** Without its owner, or why the body is refused once the key has been found good. */
  readonly wanted: Outcome<InvoiceRequest>
}

export interface CommandAnswer {
  readonly no: number
  /** The id of the invoice. */
  readonly outcome: Outcome<string>
}

/** Values of a command, one behind the other: one flat list crosses threads cheaper than an object for each. */
const COMMAND_VALUES = 11
const ANSWER_VALUES = 2

export type Message = unknown[]

export function addCommand(message: Message, { no, keyText, wanted }: VerifiedCommand): void {
  if (!wanted.ok) {
    message.push(no, keyText, wanted.failure, null, null, null, null, null, null, null, null)
    return
  }
  const { walletIds, name, description, reference, amountText, amount, currency, callbackUrl, isCallbackUrlValid } =
    wanted.value
  const wallets = walletIds.length === 1 ? walletIds[0] : walletIds
  message.push(no, keyText, null, wallets, name, description, reference, amountText, amount, currency)
  message.push(callbackUrl === null ? null : [callbackUrl, isCallbackUrlValid])
}

/** `message` comes from this process, so its types are believed. */
export function* commandsOf(message: Message): Generator<VerifiedCommand> {
  for (let at = 0; at < message.length; at += COMMAND_VALUES) {
    const no = message[at] as number
    const keyText = message[at + 1] as string
    const failure = message[at + 2] as Failure | null
    if (failure !== null) {
      yield { no, keyText, wanted: { ok: false, failure } }
      continue
    }
    const wallets = message[at + 3] as string | readonly string[]
    const callback = message[at + 10] as readonly [string, boolean] | null
    const wanted = succeed<InvoiceRequest>({
      owner: '',
      walletIds: typeof wallets === 'string' ? [wallets] : wallets,
      name: message[at + 4] as string,
      description: message[at + 5] as string | null,
      reference: message[at + 6] as string | null,
      amountText: message[at + 7] as string,
      amount: message[at + 8] as bigint,
      currency: message[at + 9] as Currency,
      callbackUrl: callback === null ? null : callback[0],
      isCallbackUrlValid: callback === null || callback[1],
    })
    yield { no, keyText, wanted }
  }
}

export function addAnswer(message: Message, { no, outcome }: CommandAnswer): void {
  message.push(no, outcome.ok ? outcome.value : outcome.failure)
}

export function* answersOf(message: Message): Generator<CommandAnswer> {
  for (let at = 0; at < message.length; at += ANSWER_VALUES) {
    const value = message[at + 1] as string | Failure
    yield {
      no: message[at] as number,
      outcome: typeof value === 'string' ? succeed(value) : { ok: false, failure: value },
    }
  }
}
