import { setTimeout as sleep } from 'node:timers/promises'
import { BillhookError } from '@billhook/client'
import { timeText } from '../listing/column.js'
import { type Api, checkService, onService, withApi } from './api.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_FAILURE, EXIT_INCOMPLETE, EXIT_SUCCESS } from './command.js'
import { checkWholeNumber, wholeNumber } from './flags.js'
import { jsonLine, printable } from './output.js'
import { type Payable, type PayableRecord, readPayable } from './payable.js'
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

export function watchCommand<Item extends PayableRecord>(parent: BillhookCommand, payable: Payable<Item>): void {
  const { noun } = payable
  onService(parent.add('watch', `Wait until an ${noun} is paid, and print every change.`))
    .argument(`<${noun}>`, `The id of the ${noun}.`)
    .option('--interval <seconds>', `The time between two looks. Default: ${INTERVAL_SECONDS}.`)
    .option('--timeout <seconds>', 'The time after which to stop waiting. Default: none.')
    .explain(
      `Ends with 0 when the ${noun} is paid, with 1 when it is void or expired, with 3 at the timeout, with 130 after ctrl-c. A service that restarts, or limits requests, is waited for.`,
    )
    .runs(
      (given) => watch(given, payable),
      (given, problems) => {
        checkWholeNumber('interval', INTERVALS, given.options, problems)
        checkWholeNumber('timeout', TIMEOUTS, given.options, problems)
        checkService(given, problems)
      },
    )
}

async function watch<Item extends PayableRecord>(given: Given, payable: Payable<Item>): Promise<number> {
  const work = async (api: Api, io: ProcessIo, stop: AbortSignal) => {
    const line = new StatusLine(io)
    try {
      return await watching(given, payable, api, io, { stop, line })
    } finally {
      line.clear()
    }
  }
  return await withApi(given, work, ONLY_SERVED)
}

async function watching<Item extends PayableRecord>(
  { args, options }: Given,
  payable: Payable<Item>,
  api: Api,
  io: ProcessIo,
  { stop, line }: { readonly stop: AbortSignal; readonly line: StatusLine },
): Promise<number> {
  const { noun, paymentText, endOf } = payable
  const intervalMs = wholeNumber('interval', INTERVAL_SECONDS, options) * MS_PER_SECOND
  const endMs = io.clock.now() + wholeNumber('timeout', Number.POSITIVE_INFINITY, options) * MS_PER_SECOND
  let last = ''
  let trouble = ''
  for (;;) {
    const looked = await look(api, payable, args[0] ?? '', last !== '')
    let pauseMs = intervalMs
    if ('item' in looked) {
      const { item } = looked
      const told = paymentText(item)
      if (told !== last) {
        line.clear()
        io.out(options['json'] === true ? jsonLine(item) : changeLine(io.clock.now(), told))
      }
      last = told
      trouble = ''
      const end = endOf(item)
      if (end !== null) return end === 'paid' ? EXIT_SUCCESS : EXIT_FAILURE
      line.show(`Waiting for payment${expiryText(item)}; ctrl-c to stop`)
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
      io.error(`billhook: the ${noun} was not paid in this time.`)
      return EXIT_INCOMPLETE
    }
    await sleep(Math.min(pauseMs, leftMs), undefined, { signal: stop })
  }
}

type Looked<Item> = { readonly item: Item } | { readonly trouble: string; readonly waitMs: number }

/** Once it was seen, a service that cannot answer for a while does not end the watch. */
async function look<Item extends PayableRecord>(
  api: Api,
  payable: Payable<Item>,
  id: string,
  hasSeen: boolean,
): Promise<Looked<Item>> {
  try {
    return { item: await readPayable(api, payable, id) }
  } catch (error) {
    if (!hasSeen || !(error instanceof BillhookError)) throw error
    if (isRefusal(error) && !RETRIED.includes(error.status)) throw error
    return { trouble: error.message, waitMs: error.retryAfterMs ?? 0 }
  }
}

function changeLine(nowMs: number, told: string): string {
  return printable(`${timeText(nowMs)} ${told}`)
}

function expiryText({ expires_at: expiresAt }: PayableRecord): string {
  return expiresAt === null ? '' : `, until ${timeText(expiresAt)}`
}
