import type { BillhookCommand, Given } from './billhook-command.js'
import { EXIT_FAILURE, EXIT_SUCCESS } from './command.js'
import { checkWholeNumber, needFlags, text, wholeNumber } from './flags.js'
import { parseHeaders } from './headers.js'
import { readInput } from './input.js'
import { withProcess } from './local-work.js'
import { jsonLine, printable } from './output.js'
import { readSecret } from './secret-file.js'

/** As libraries of Standard Webhooks have it. */
export const TOLERANCE_SECONDS = 300
const TOLERANCES = [1, 315_360_000] as const

export function webhookVerifyCommand(webhook: BillhookCommand): void {
  webhook
    .add('verify', 'Check the signature and the age of a saved webhook.')
    .option('--body <file>', 'Its body, byte by byte; - for standard input.')
    .option('--headers <file>', 'Its headers, one on each line, as in "webhook-id: …"; - for standard input.')
    .option('--secret-file <file>', 'The secret; - for standard input.')
    .option('--tolerance <seconds>', `How old it may be. Default: ${TOLERANCE_SECONDS}.`)
    .option('--accept-untimed', 'Be content with X-Service-Signature where webhook-signature is missing.')
    .asJson()
    .explain(
      'Judges like verifyWebhook of the library. Ends with 0 when the webhook is verified, else with 1 and the reason. Needs no service.',
    )
    .runs(verify, ({ options }, problems) => {
      const files = ['body', 'headers', 'secret-file']
      needFlags('webhook verify', files, options, problems)
      checkWholeNumber('tolerance', TOLERANCES, options, problems)
      if (files.filter((name) => text(name, options) === '-').length > 1) {
        problems.push('Only one of --body, --headers and --secret-file can be standard input.')
      }
    })
}

async function verify(given: Given): Promise<number> {
  const { options } = given
  return await withProcess(given, async (io) => {
    const secret = await readSecret(text('secret-file', options) ?? '')
    const headers = parseHeaders((await readInput(text('headers', options) ?? '')).toString('latin1'))
    const body = await readInput(text('body', options) ?? '')
    const toleranceSeconds = wholeNumber('tolerance', TOLERANCE_SECONDS, options)
    const acceptUntimed = options['acceptUntimed'] === true
    const terms = { nowMs: io.clock.now(), toleranceSeconds, acceptUntimed }
    const { deliveryVerdict } = await import('./delivery-verdict.js')
    const { isVerified, flaw, note, ageSeconds } = deliveryVerdict({ headers, body }, secret, terms)
    if (options['json'] === true) io.out(jsonLine({ verified: isVerified, flaw, note, ageSeconds }))
    else if (isVerified) {
      const age = ageSeconds === null ? '' : `, sent ${ageSeconds} s ago`
      io.out(printable(`Verified${age}${note === null ? '' : `; ${note}`}.`))
    } else io.error(`billhook: not verified: ${flaw}.`)
    return isVerified ? EXIT_SUCCESS : EXIT_FAILURE
  })
}
