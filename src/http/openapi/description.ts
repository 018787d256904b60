import { apiFailures, failureMessages } from '../../domain/failure.js'
import { failureOccasions } from '../failure-occasions.js'
import { failureStatus } from '../failure-status.js'

/** What the document says of the service as a whole: conventions, signed requests, and the table of all errors. */
export function description(): string {
  const rows = apiFailures.map(
    (code) =>
      `| ${failureStatus[code]} | \`${code}\` | ${cell(failureMessages[code])} | ${cell(failureOccasions[code])} |`,
  )
  return `${CONVENTIONS}\n\n## Errors\n\n${ERRORS}\n\n| Status | code | error | When |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`
}

function cell(words: string): string {
  return words.replace(/[|<>*]/g, '\\$&')
}

const CONVENTIONS = `Bodies are JSON objects in UTF-8, at most 64 KiB. Times are Unix milliseconds, integers. Amounts are decimal strings and are never rounded. Unknown fields
of a body are ignored; an unknown query parameter is \`invalid_query\`. Every answer carries \`X-Request-Id\`. \`HEAD\` works wherever \`GET\` does. Another method on a known path is
\`method_not_allowed\` with \`Allow\`. Clients must ignore fields that they do not know.

## Signed requests

Three headers sign a request: \`X-Service-Api-Key\`, \`X-Service-Timestamp\` and \`X-Service-Signature\`. The signed text is three parts with a line feed between them, none at the end:

1. the method and the pattern of the endpoint, with \`:id\` as it stands, never the path that is called: \`POST /api/invoices/:id/void\`
2. the timestamp, as in the header
3. the body, the exact bytes that are sent; nothing for \`GET\` and \`DELETE\`

By default only the creation and the voiding of invoices can be signed, and everything else is open. With \`BILLHOOK_STRICT=on\` everything that belongs to an identity is signed. \`GET /api/info\`
says which.`

const ERRORS = `Every error is \`{"error", "code"}\`. Branch on \`code\`, which is stable. A 400 about one field or parameter names it in \`field\`. \`wallet\` is the wallet to blame, \`reason\` why, and \`supported\` lists what the field may be. Every 429 and 503 carries \`Retry-After\`. Errors under \`/pay\`
are pages. What is not HTTP/1.1 at all is refused with 400, 431 or 505 and a line of HTML.`
