import { readingText } from '../domain/clock-offset.js'
import type { ServiceStatus } from '../http/routes/admin.js'
import { blockAsideColumns, depositAsideColumns } from '../listing/aside.js'
import type { Columns } from '../listing/column.js'
import { ledgerColumns, networkColumns, nodeColumns } from '../listing/networks.js'
import type { RecordCounts } from '../store/overview.js'
import { type Admin, withAdmin } from './admin.js'
import type { BillhookCommand, ProcessIo } from './billhook-command.js'
import { EXIT_FAILURE, EXIT_SUCCESS } from './command.js'
import { jsonLine, printable } from './output.js'
import { summaryOf } from './rates.js'
import { unservedData } from './served-data.js'
import { TextTable } from './text-table.js'

export function statusCommand(program: BillhookCommand): void {
  program
    .add('status', 'Tell whether the service runs, and how it is.')
    .onData()
    .opensData(async (given) => (given.options['ready'] === true ? null : await unservedData(given)))
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
        const isReady = status.condition === 'ready' || status.condition === 'degraded'
        return isReady || !mustBeReady ? EXIT_SUCCESS : EXIT_FAILURE
      }
      return withAdmin(given, tell, mustBeReady ? 'served' : 'with data')
    })
}

/** How far networks and ledger are, and what was set aside, as tables. */
async function showProgress(status: ServiceStatus, { print }: ProcessIo): Promise<void> {
  const { networks, nodes, ledger, set_aside: aside, decimals } = status
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
  if (aside === null) return
  if (aside.blocks.length > 0) {
    await print('\nBlocks that no node can give:\n')
    await showTable(blockAsideColumns, aside.blocks, print)
  }
  if (aside.deposits.length > 0) {
    await print('\nDeposits whose recording failed:\n')
    await showTable(depositAsideColumns(decimals), aside.deposits, print)
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

/** What the command says on every output. */
export function statusLines({
  version,
  pid,
  started_at,
  url,
  condition,
  not_ready: notReady,
  data,
  store,
  store_id: storeId,
  store_born_at: bornAt,
  sandbox,
  strict,
  degraded,
  clock,
  records,
  outbox,
  wallets,
  set_aside: aside,
  rates,
  log_lines_lost: linesLost,
}: ServiceStatus) {
  const runs =
    url === null || condition === null
      ? 'No service runs on this directory.'
      : `Running at ${url}, process ${pid}, since ${time(started_at)}, ${condition.replace('_', ' ')}.`
  // What the settings say is told of a service: those of this command may be others.
  const modes =
    url === null ? '' : ` (${[strict ? 'strict' : 'not strict', ...(sandbox ? ['sandbox'] : [])].join(', ')})`
  return [
    `Billhook ${version}${modes}, ${store === 'lmdb' ? `data in ${data}` : `state in ${store}`}`,
    `Store ${storeId}, created ${time(bornAt)}`,
    runs,
    ...(notReady === null ? [] : [`Not ready: ${printable(notReady)}. See: billhook doctor`]),
    ...degraded.map((sentence) => `Degraded: ${sentence}`),
    ...(url === null ? [] : [`Clock: ${readingText(clock && { ...clock, offsetMs: clock.offset_ms })}`]),
    ...(linesLost === 0
      ? []
      : [`Log: ${linesLost} lines were lost, because its disk refused them or its reader is too slow`]),
    ...(records === null ? ['The store cannot be read now.'] : [countsOf(records)]),
    ...(outbox === null
      ? []
      : [
          `Webhooks: ${outbox.queued} queued, ${outbox.attempted} in progress, ${outbox.waiting} waiting for another attempt`,
        ]),
    ...(rates === null || url === null ? [] : [summaryOf(rates)]),
    ...Object.entries(wallets ?? {}).map(
      ([network, { claimable, unassigned, withdrawn }]) =>
        `${network}: ${unassigned} wallets without an owner, ${claimable} of them can be claimed now${withdrawn === 0 ? '' : `; ${withdrawn} more were withdrawn: see billhook wallets list --withdrawn`}`,
    ),
    ...(aside?.blocks ?? []).map(({ network, height, hash, since, reason }) => {
      const state = hash === null ? 'is waited for' : 'is set aside'
      return `${network}: block ${height} ${state}, since no node can give it in full (from ${time(since)}): ${printable(reason)}`
    }),
    ...(aside?.deposits ?? []).map(({ sighting: { network, txHash, index }, since, error }) => {
      const name = `${printable(txHash)}, transfer ${index}`
      return `${network}: the deposit ${name} is set aside, since recording it failed (from ${time(since)}): ${printable(error)}`
    }),
  ]
}

function countsOf(records: RecordCounts): string {
  return Object.entries(records)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ')
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}
