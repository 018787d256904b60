import { checkOwner, checkService, isSigning, withApi } from './api.js'
import type { BillhookCommand, Check, Given } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { checkPairs, checkWholeNumber, collected, needFlags, pairs, text } from './flags.js'
import { type Fields, fieldLines, jsonLine } from './output.js'
import type { PayableNoun } from './payable.js'

/** As the service takes it (decisions 4). */
const EXPIRES_IN = [60, 31_536_000] as const

const TITLES: Readonly<Record<PayableNoun, string>> = { invoice: 'Invoice', order: 'Order' }

const REFERENCES: Readonly<Record<PayableNoun, string>> = {
  invoice: 'Your own id, which nobody should guess. Webhooks need one.',
  order: 'Your own id, which nobody should guess. Its invoices have it with /1, /2 and so on behind it.',
}

/** Adds the flags that the creation of an invoice and that of an order have in common. */
export function creationFlags(command: BillhookCommand, noun: PayableNoun): BillhookCommand {
  return command
    .option('--name <text>', 'What the payer reads.')
    .option('--description <text>', 'More for the payer to read.')
    .option('--reference <text>', REFERENCES[noun])
    .option('--expires-in <seconds>', `The time after which the ${noun} can no longer be paid.`)
    .option('--order-number <text>', 'What people call the order. It need not be unique.')
    .option('--return-url <url>', 'Where the payment page leads back to.')
    .option(
      '--metadata <key=value>',
      'A text of your own, which payers never see. May be given up to 20 times.',
      collected,
    )
    .option('--callback-url <url>', 'Where its webhooks go, instead of to the default of the identity.')
    .option('--idempotency-key <text>', `Makes a repetition answer with the same ${noun}.`)
    .explain(
      'A signed request acts for the owner of its key; without a key the owner is that of --owner. If no answer came, give the same command again with the same --reference or --idempotency-key: nothing is created twice.',
    )
}

/** Checks them, and that those are there that are `needed`. */
export function checkCreation(noun: PayableNoun, needed: readonly string[]): Check {
  return (given, problems) => {
    const { options } = given
    needFlags(`${noun} create`, [...needed, 'name'], options, problems)
    checkWholeNumber('expires-in', EXPIRES_IN, options, problems)
    checkPairs('metadata', options, problems)
    checkService(given, problems)
    if (!isSigning(given)) checkOwner(given, problems)
  }
}

/** What a service answers of what it has created. */
export interface Created {
  readonly id: string
  /** The path of its page. */
  readonly url: string
}

/** What the creation of an invoice or of an order has for itself. */
interface Creation<Answer extends Created> {
  readonly noun: PayableNoun
  /** Fields of the request. */
  readonly body: Readonly<Record<string, unknown>>
  /** What people are told of the answer below its id and its page. */
  readonly tell: (answer: Answer) => Fields
}

/** Creates what the flags say, and prints where it is. */
export async function create<Answer extends Created>(
  given: Given,
  { noun, body, tell }: Creation<Answer>,
): Promise<number> {
  const { options, settings } = given
  const expiresIn = text('expires-in', options)
  return await withApi(given, async (api, io) => {
    const reply = await api.call({
      tag: `POST /api/${noun}s`,
      idempotencyKey: text('idempotency-key', options),
      body: {
        ...(api.isSigned ? {} : { owner: settings.owner }),
        ...body,
        name: text('name', options),
        description: text('description', options),
        reference: text('reference', options),
        callbackUrl: text('callback-url', options),
        returnUrl: text('return-url', options),
        orderNumber: text('order-number', options),
        metadata: pairs('metadata', options),
        ...(expiresIn === undefined ? {} : { expiresInSeconds: Number(expiresIn) }),
      },
    })
    const answer = reply.body as Answer
    if (options['json'] === true) io.out(jsonLine(answer))
    else {
      const page = `${await api.pages()}${answer.url}`
      for (const line of fieldLines([[TITLES[noun], answer.id], ['Page', page], ...tell(answer)])) io.out(line)
    }
    return EXIT_SUCCESS
  })
}
