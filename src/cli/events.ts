import type { OwnerEvent } from '../domain/event.js'
import { eventColumns } from '../listing/events.js'
import { checkList, onService, withApi } from './api.js'
import type { BillhookCommand, Given } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { text, wholeNumber } from './flags.js'
import { listOutput, printList } from './list-output.js'

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
    const output = listOutput<OwnerEvent>(io, options['json'] === true, eventColumns(await api.decimals()))
    const read = (after: string | null, left: number) =>
      api.call({
        tag: 'GET /api/users/:id/events',
        params: { id: settings.owner ?? '' },
        query: { limit: String(Math.min(left, PAGE_SIZE)), ...(after === null ? {} : { after }) },
      })
    await printList(output, read, wholeNumber('limit', Number.POSITIVE_INFINITY, options), text('after', options))
    return EXIT_SUCCESS
  })
}
