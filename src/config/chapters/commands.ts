import { isBaseUrl, isPath } from '../checks.js'
import { optional } from '../setting.js'

/** As in a request (decisions 3). */
const OWNER_LENGTH_MAX = 128

/** How the commands of a merchant reach a service. */
export const commands = {
  url: optional.text(isBaseUrl, {
    flag: '--url',
    base: true,
    fallbackText: 'none: through admin.sock of the data directory',
    expects: 'an absolute http or https URL without query, fragment or credentials',
    sentence: 'The service that the commands of a merchant reach over the network.',
  }),
  keyFile: optional.text(isPath, {
    flag: '--key',
    fallbackText: 'none: requests are not signed',
    expects: 'a path',
    sentence: 'The file with the private key that signs the requests of commands, in PEM.',
  }),
  owner: optional.textOfLength(1, OWNER_LENGTH_MAX, {
    flag: '--owner',
    fallbackText: 'none',
    expects: `1 to ${OWNER_LENGTH_MAX} characters long`,
    sentence: 'The identity for which commands create and list invoices and configure webhooks.',
  }),
}
