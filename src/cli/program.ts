import type { Settings } from '../config.js'
import { BillhookCommand, type CommandContext } from './billhook-command.js'
import { EXIT_INCOMPLETE } from './command.js'
import { completionsCommand } from './completions.js'
import { deriveCommand } from './derive.js'
import { doctorCommand } from './doctor.js'
import { eventCommands } from './events.js'
import { completeHelp, SERVE_HELP } from './help.js'
import { identityCommands } from './identities.js'
import { importCommand } from './import.js'
import { invoiceCommands } from './invoice.js'
import { keygenCommand } from './keygen.js'
import { migrateCommand } from './migrate.js'
import { noteCommands } from './notes.js'
import { putBackCommand, redeliverCommand, revokeCommand } from './operator-actions.js'
import { orderCommands } from './order.js'
import { ratesCommand } from './rates.js'
import { type ReconcileRequest, readReconcileRequest } from './reconcile.js'
import { auditCommand, exportCommand, listCommand, walletsCommand } from './records.js'
import { reportCommand } from './report.js'
import { sandboxCommands } from './sandbox-pay.js'
import { unservedData } from './served-data.js'
import { signCommand } from './sign.js'
import { statusCommand } from './status.js'
import { upkeepCommands } from './upkeep.js'
import { webhookCommands } from './webhook.js'

/** The work of the commands that run by themselves, loaded when it is asked for. */
export interface Works {
  /** Runs the service and resolves with the exit code. */
  serve(settings: Settings): Promise<number>
  /** Compares a chain with the store and resolves with the exit code. */
  reconcile(request: ReconcileRequest, settings: Settings): Promise<number>
  /** Compares the ledger with the store and resolves with the exit code. */
  reconcileLedger(settings: Settings): Promise<number>
}

/** All commands. A new one is a file of its own and a line here. */
export function createProgram(context: CommandContext, works: Works): BillhookCommand {
  const program = new BillhookCommand('billhook', context)
  program.description('Invoices payable to wallets, over a signed API.').usage('<command> [flags]')
  program.option('--version', 'Print the version.')

  program.commandsGroup('The service:')
  serveCommand(program, works)
  program.commandsGroup('Its data directory, with or without a running service:')
  statusCommand(program)
  doctorCommand(program)
  exportCommand(program)
  reportCommand(program)
  importCommand(program, 'Add records that another store has exported.')
  const wallets = program.add('wallets', 'Wallets.')
  walletsCommand(wallets)
  importCommand(wallets, 'Add wallets: their ids, addresses, networks and owners.')
  deriveCommand(wallets)
  putBackCommand(wallets)
  identityCommands(program)
  listCommand(program.add('deposits', 'Deposits.'), 'deposits', 'List deposits, dropped ones included.')
  const deliveries = program.add('deliveries', 'Webhooks, sent or to be sent.')
  listCommand(deliveries, 'deliveries', 'List webhooks, sent or to be sent.')
  redeliverCommand(deliveries)
  noteCommands(program)
  const keys = program.add('keys', 'API keys.')
  listCommand(keys, 'keys', 'List API keys, revoked ones included.')
  revokeCommand(keys)
  auditCommand(program.add('audit', 'What operators did.'))
  upkeepCommands(program)
  reconcileCommand(program, works)
  migrateCommand(program)
  program.commandsGroup('For merchants, through the network or the data directory:')
  keygenCommand(program)
  signCommand(program)
  invoiceCommands(program)
  orderCommands(program)
  eventCommands(program)
  ratesCommand(program)
  webhookCommands(program)
  sandboxCommands(program)
  program.commandsGroup('The shell:')
  completionsCommand(program)
  completeHelp(program)
  return program
}

function serveCommand(program: BillhookCommand, works: Works): void {
  program
    .add('serve', 'Run the service until SIGTERM or SIGINT.')
    .onData()
    .opensData(null)
    .option('--host <address>', 'The address to listen on (BILLHOOK_HOST).')
    .option('--port <port>', 'The port to listen on (BILLHOOK_PORT).')
    .option('--sandbox', 'Run with a simulated ledger and simulated networks (BILLHOOK_SANDBOX).')
    .addHelpText('after', SERVE_HELP)
    .runs(({ settings }) => works.serve(settings))
}

function reconcileCommand(program: BillhookCommand, works: Works): void {
  let request: ReconcileRequest | null = null
  program
    .add('reconcile', 'Compare a watched network, or the ledger, with the recorded data, while no service runs.')
    .onData()
    .opensData(unservedData, EXIT_INCOMPLETE)
    .option('--network <id>', 'The network, by its id, such as SEP.')
    .option('--from <height>', 'The first block.')
    .option('--to <height>', 'The last block.')
    .option('--apply', 'Repair the differences.')
    .option('--forget', 'At the end, forget which blocks were read: the service then starts at its configured block.')
    .option(
      '--ledger',
      'Compare everything that the followed ledger lists, ask again for what was set aside, apply what was missed, and ask for the wallets of the pool.',
    )
    .explain(
      'Ends with 0 when nothing is different in the end, 1 when differences are left, 2 when the command or the settings are wrong, 3 when the end was not reached; the last line says how to continue. With --ledger it ends with 0 only when everything could be read and nothing had been missed, with 1 when something had been missed, which is applied by then, with 3 when a store or a read API did not answer or the stores list nothing, and with 4 when no read API has a transaction that the stores list.',
    )
    .runs(
      ({ settings }) => (request === null ? works.reconcileLedger(settings) : works.reconcile(request, settings)),
      ({ options }, problems) => {
        if (options['ledger'] === true) rejectWithLedger(options, problems)
        else request = readReconcileRequest(options, problems)
      },
    )
}

function rejectWithLedger(options: Readonly<Record<string, unknown>>, problems: string[]): void {
  for (const name of ['network', 'from', 'to', 'apply', 'forget']) {
    if (options[name] !== undefined) problems.push(`--${name} cannot be combined with --ledger.`)
  }
}
