import type { ServiceStatus } from '../http/routes/admin.js'
import type { Columns } from '../listing/column.js'
import { ledgerColumns, networkColumns, nodeColumns } from '../listing/networks.js'
import { type Admin, withAdmin } from './admin.js'
import type { BillhookCommand, ProcessIo } from './billhook-command.js'
import { EXIT_FAILURE, EXIT_SUCCESS } from './command.js'
import { jsonLine } from './output.js'
import { TextTable } from './text-table.js'

export function statusCommand(program: BillhookCommand): void {
  program
    .add('status', 'Tell whether the service runs, and how it is.')
    .onData()
    .asJson()
    .option('--ready', 'Exit with 1 unless a service runs and can take requests.')
    .explain(
      'Without a service the command looks into the data directory itself. With --ready it does not, and says that none runs: use that for health checks.',
    )
    .runs((given) => {
      const mustBeReady = given.options['ready'] === true
      const tell = async (admin: Admin, io: ProcessIo) => {
        const status = (await admin.call('GET', '/admin/status')).body as ServiceStatus
        if (given.options['json'] === true) io.out(jsonLine(status))
        else {
          for (const line of statusLines(status)) io.out(line)
          if (io.isOutputTerminal) await showProgress(status, io)
        }
        return status.ready || !mustBeReady ? EXIT_SUCCESS : EXIT_FAILURE
      }
      return withAdmin(given, tell, mustBeReady ? 'served' : 'with data')
    })
}

/** How far networks and ledger are, as tables. */
async function showProgress({ networks, nodes, ledger }: ServiceStatus, { print }: ProcessIo): Promise<void> {
  if (networks.length > 0) {
    await print('\n')
    await showTable(networkColumns, networks, print)
    await print('\nNodes, counted since the start of the service:\n')
    await showTable(nodeColumns, nodes, print)
  }
  if (ledger !== null) {
    await print('\nThe followed ledger:\n')
    await showTable(ledgerColumns, [ledger], print)
  }
}

async function showTable<Item>(
  columns: Columns<Item>,
  items: readonly Item[],
  print: ProcessIo['print'],
): Promise<void> {
  const table = new TextTable(Object.values(columns), print)
  for (const item of items) await table.add(item)
  await table.flush()
}

function statusLines({
  version,
  pid,
  started_at,
  url,
  ready,
  data,
  store,
  sandbox,
  strict,
  degraded,
  records,
  outbox,
  wallets,
}: ServiceStatus) {
  const runs =
    url === null
      ? 'No service runs on this directory.'
      : `Running at ${url}, process ${pid}, since ${time(started_at)}, ${ready ? 'ready' : 'not ready'}.`
  const modes = [strict ? 'strict' : 'not strict', ...(sandbox ? ['sandbox'] : [])].join(', ')
  return [
    `Billhook ${version} (${modes}), ${store === 'lmdb' ? `data in ${data}` : `state in ${store}`}`,
    runs,
    ...degraded.map((sentence) => `Degraded: ${sentence}`),
    Object.entries(records)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', '),
    `Webhooks: ${outbox.queued} queued, ${outbox.attempted} in progress, ${outbox.waiting} waiting for another attempt`,
    ...Object.entries(wallets).map(
      ([network, { claimable, unassigned }]) =>
        `${network}: ${unassigned} wallets without an owner, ${claimable} of them can be claimed now`,
    ),
  ]
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}
