import type { OwnerEvent } from '../domain/event.js'
import type { Columns } from '../listing/column.js'
import { eventColumns } from '../listing/events.js'
import { type Api, checkList, onService, withApi } from './api.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { text, wholeNumber } from './flags.js'
import { jsonLine, printable } from './output.js'
import { TextTable } from './text-table.js'

/** Events in one request. */
const PAGE_SIZE = 1000

export function eventCommands(program: BillhookCommand): void {
  const events = program.add('events', 'What happened to an identity.')
  onService(events.add('list', 'List what happened to an identity, oldest first.'))
    .option('--after <cursor>', 'Only what happened after the event with this id.')
    .option('--limit <number>', 'How many at most. Default: all.')
    .explain(
      'The id of the last event is the cursor for the next time. If events after the cursor have been removed, because they are older than BILLHOOK_EVENTS_DAYS, the command ends with 1.',
    )
    .runs(list, checkList)
}

async function list(given: Given): Promise<number> {
  const { options, settings } = given
  return await withApi(given, async (api, io) => {
    const output = options['json'] === true ? jsonOutput(io) : textOutput(io, eventColumns(await api.tokenDecimals()))
    let left = wholeNumber('limit', Number.POSITIVE_INFINITY, options)
    let after = text('after', options) ?? null
    do {
      const limit = String(Math.min(left, PAGE_SIZE))
      const page: Awaited<ReturnType<Api['call']>> = await api.call({
        tag: 'GET /api/users/:id/events',
        params: { id: settings.owner ?? '' },
        query: { limit, ...(after === null ? {} : { after }) },
      })
      const events = page.body as OwnerEvent[]
      for (const event of events) await output.add(event)
      await output.flush()
      left -= events.length
      after = page.next
    } while (after !== null && left > 0)
    return EXIT_SUCCESS
  })
}

type Output = Pick<TextTable<OwnerEvent>, 'add' | 'flush'>

function jsonOutput(io: ProcessIo): Output {
  return { add: (event) => io.print(`${jsonLine(event)}\n`), flush: async () => {} }
}

/** A table on a terminal; in a pipe lines with tabs between the fields. */
function textOutput(io: ProcessIo, columns: Columns<OwnerEvent>): Output {
  if (io.isOutputTerminal) return new TextTable(Object.values(columns), io.print)
  let head = `${Object.keys(columns).join('\t')}\n`
  const flush = async () => {
    if (head !== '') await io.print(head)
    head = ''
  }
  const add = async (event: OwnerEvent) => {
    await flush()
    const cells = Object.values(columns).map(({ of }) => printable(of(event) ?? '-'))
    await io.print(`${cells.join('\t')}\n`)
  }
  return { add, flush }
}
