import type { ApiKey } from '../domain/api-key.js'
import type { Delivery } from '../domain/webhook.js'
import type { ServiceStatus } from '../http/routes/admin.js'
import { type Admin, withAdmin } from './admin.js'
import type { BillhookCommand } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { jsonLine, printable } from './output.js'

const TRACED = 'It leaves a record that "billhook audit list" shows.'

/** `billhook keys revoke`. */
export function revokeCommand(keys: BillhookCommand): void {
  keys
    .add('revoke', 'Revoke an API key: requests that it signs are rejected at once, for good.')
    .argument('<id>', 'The id of the key, as list shows it.')
    .onData()
    .asJson()
    .explain(`A key that is revoked stays so, and keeps the time of its revocation. ${TRACED}`)
    .runs((given) =>
      withAdmin(given, async (admin, io) => {
        const { id, owner, revoked_at: at, ...rest } = await post<ApiKey>(admin, 'keys', given.args[0], 'revoke')
        if (given.options['json'] === true) io.out(jsonLine({ id, owner, ...rest, revoked_at: at }))
        else io.out(printable(`The key ${id} of ${owner} is revoked since ${new Date(at ?? 0).toISOString()}.`))
        return EXIT_SUCCESS
      }),
    )
}

/** `billhook deliveries redeliver`. */
export function redeliverCommand(deliveries: BillhookCommand): void {
  deliveries
    .add('redeliver', 'Send a webhook again, whose attempts are over or that waits for another one.')
    .argument('<id>', 'The id of the delivery, as list shows it.')
    .onData()
    .asJson()
    .explain(`Without a running service it is sent when the service runs. ${TRACED}`)
    .runs((given) =>
      withAdmin(given, async (admin, io) => {
        const delivery = await post<Delivery>(admin, 'deliveries', given.args[0], 'redeliver')
        const { id, owner } = delivery
        if (given.options['json'] === true) io.out(jsonLine(delivery))
        else {
          const { url } = (await admin.call('GET', '/admin/status')).body as ServiceStatus
          const when = url === null ? 'is sent when the service runs' : 'is being sent'
          io.out(printable(`The webhook ${id} of ${owner} is queued again, and ${when}.`))
        }
        return EXIT_SUCCESS
      }),
    )
}

/** The record as it is afterwards. Throws `Refused` when nothing was done. */
async function post<T>(admin: Admin, kind: string, id = '', action: string): Promise<T> {
  return (await admin.call('POST', `/admin/${kind}/${encodeURIComponent(id)}/${action}`)).body as T
}
