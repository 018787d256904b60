import { setTimeout as sleep } from 'node:timers/promises'
import { BillhookError } from '@billhook/client'
import { timeText } from '../listing/column.js'
import { type InvoiceRecord, invoiceState } from '../listing/invoices.js'
import { type Api, checkService, onService, withApi } from './api.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_FAILURE, EXIT_INCOMPLETE, EXIT_SUCCESS } from './command.js'
import { checkWholeNumber, wholeNumber } from './flags.js'
import { paymentText } from './invoice-text.js'
import { jsonLine, printable } from './output.js'
import { StatusLine } from './progress-line.js'
import { isRefusal } from './refusal.js'

const INTERVAL_SECONDS = 2
const INTERVALS = [1, 3600] as const
const TIMEOUTS = [1, 31_536_000] as const
const MS_PER_SECOND = 1000
/** Where no service runs nothing is paid, and a command that waits must not keep it from starting. */
const ONLY_SERVED = true
/** What a service answers that will answer otherwise in a while. */
const RETRIED = [429, 500, 502, 503, 504]

export function invoiceWatchCommand(invoice: BillhookCommand): void {
  onService(invoice.add('watch', 'Wait until an invoice is paid, and print every change.'))
    .argument('<invoice>', 'The id of the invoice.')
    .option('--interval <seconds>', `The time between two looks. Default: ${INTERVAL_SECONDS}.`)
    .option('--timeout <seconds>', 'The time after which to stop waiting. Default: none.')
    .explain(
      'Ends with 0 when the invoice is paid, with 1 when it is void or expired, with 3 at the timeout, with 130 after ctrl-c. A service that restarts, or limits requests, is waited for.',
    )
    .runs(watch, (given, problems) => {
      checkWholeNumber('interval', INTERVALS, given.options, problems)
      checkWholeNumber('timeout', TIMEOUTS, given.options, problems)
      checkService(given, problems)
    })
}

async function watch(given: Given): Promise<number> {
  const work = async (api: Api, io: ProcessIo, stop: AbortSignal) => {
    const line = new StatusLine(io)
    try {
      return await watching(given, api, io, { stop, line })
    } finally {
      line.clear()
    }
  }
  return await withApi(given, work, ONLY_SERVED)
}

async function watching(
  { args, options }: Given,
  api: Api,
  io: ProcessIo,
  { stop, line }: { readonly stop: AbortSignal; readonly line: StatusLine },
): Promise<number> {
  const intervalMs = wholeNumber('interval', INTERVAL_SECONDS, options) * MS_PER_SECOND
  const endMs = io.clock.now() + wholeNumber('timeout', Number.POSITIVE_INFINITY, options) * MS_PER_SECOND
  let last = ''
  let trouble = ''
  for (;;) {
    const looked = await look(api, args[0] ?? '', last !== '')
    let pauseMs = intervalMs
    if ('invoice' in looked) {
      const told = paymentText(looked.invoice)
      if (told !== last) {
        line.clear()
        io.out(options['json'] === true ? jsonLine(looked.invoice) : changeLine(io.clock.now(), told))
      }
      last = told
      trouble = ''
      const state = invoiceState(looked.invoice)
      if (state !== 'unpaid') return state === 'paid' ? EXIT_SUCCESS : EXIT_FAILURE
      line.show(`Waiting for payment${expiryText(looked.invoice)}; ctrl-c to stop`)
    } else {
      pauseMs = Math.max(pauseMs, looked.waitMs)
      if (looked.trouble !== trouble) {
        line.clear()
        io.error(printable(`billhook: ${looked.trouble}; trying again`))
      }
      trouble = looked.trouble
    }
    const leftMs = endMs - io.clock.now()
    if (leftMs <= 0) {
      line.clear()
      io.error('billhook: the invoice was not paid in this time.')
      return EXIT_INCOMPLETE
    }
    await sleep(Math.min(pauseMs, leftMs), undefined, { signal: stop })
  }
}

type Looked = { readonly invoice: InvoiceRecord } | { readonly trouble: string; readonly waitMs: number }

/** Once the invoice was seen, a service that cannot answer for a while does not end the watch. */
async function look(api: Api, id: string, hasSeen: boolean): Promise<Looked> {
  try {
    const { body } = await api.call({ tag: 'GET /api/invoices/:id', params: { id } })
    return { invoice: body as InvoiceRecord }
  } catch (error) {
    if (!hasSeen || !(error instanceof BillhookError)) throw error
    if (isRefusal(error) && !RETRIED.includes(error.status)) throw error
    return { trouble: error.message, waitMs: error.retryAfterMs ?? 0 }
  }
}

function changeLine(nowMs: number, told: string): string {
  return printable(`${timeText(nowMs)} ${told}`)
}

function expiryText({ expires_at: expiresAt }: InvoiceRecord): string {
  return expiresAt === null ? '' : `, until ${timeText(expiresAt)}`
}
