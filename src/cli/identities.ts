import type { AddedIdentity } from '../domain/added-identity.js'
import { isStreamId, OWNER_FLAW, parseOwner } from '../domain/text.js'
import { withAdmin } from './admin.js'
import type { BillhookCommand } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { jsonLine, printable } from './output.js'

/** `billhook identities add`. */
export function identityCommands(program: BillhookCommand): void {
  program
    .add('identities', 'Identities.')
    .add('add', 'Make an identity exist, without a ledger.')
    .argument(
      '<id>',
      'The identity: in strict mode the SHA-256, in lower-case hex, of its key and the onboarding name.',
    )
    .onData()
    .asJson()
    .explain(
      'Give it again as often as you like: an identity that exists stays as it is. In strict mode the key of the identity then registers its API keys, as if a ledger had onboarded it; but where the service asks a ledger (BILLHOOK_LEDGER_URL, a sandbox), that alone tells which keys speak for an identity, and none do for one that it does not have. It leaves a record that "billhook audit list" shows.',
    )
    .runs(
      (given) =>
        withAdmin(given, async (admin, io) => {
          const [id = ''] = given.args
          const reply = await admin.call('POST', `/admin/identities/${encodeURIComponent(id)}/add`)
          const { identity, added } = reply.body as AddedIdentity
          if (given.options['json'] === true) io.out(jsonLine({ identity, added }))
          else io.out(printable(`The identity ${identity} ${added ? 'exists now' : 'existed already'}.`))
          if (!isStreamId(identity)) {
            io.error('Warning: it is not 64 lower-case hex digits, so in strict mode no key can sign for it.')
          }
          return EXIT_SUCCESS
        }),
      ({ args: [id] }, problems) => {
        if (id !== undefined && parseOwner(id) !== id) problems.push(`${JSON.stringify(id)} is none: ${OWNER_FLAW}.`)
      },
    )
}
