import { isBaseUrl, isHost, isPath, isStore } from '../checks.js'
import { choice, onOff, optional, port, type Setting, text } from '../setting.js'

const SECRET_LENGTH_MINIMUM_CHARACTERS = 16

/** One secret, or two. Blanks count, but not around the comma. */
function readGatewaySecrets(given: string): readonly string[] | undefined {
  const secrets = given.split(/ *, */)
  const areLong = secrets.every((secret) => [...secret].length >= SECRET_LENGTH_MINIMUM_CHARACTERS)
  return secrets.length <= 2 && areLong ? secrets : undefined
}

const gatewaySecrets: Setting<readonly string[]> = {
  about: {
    variable: 'BILLHOOK_GATEWAY_SECRET',
    fallbackText: 'none: POST /internal/events is 404',
    expects: `at least ${SECRET_LENGTH_MINIMUM_CHARACTERS} characters long and without a comma, or two such secrets with a comma between them`,
    sentence:
      'The secret with which the ledger gateway signs the events that it pushes. Give two while one replaces the other: both are accepted.',
    secret: true,
  },
  read: readGatewaySecrets,
  unset: [],
}

/** Where the service listens and keeps its data, and what every deployment sets. */
export const essentials = {
  host: text(isHost, {
    flag: '--host',
    fallback: '127.0.0.1',
    expects: 'an IP address (IPv6 without brackets) or a host name',
    sentence: 'The address to listen on.',
  }),
  port: port({
    flag: '--port',
    fallback: '8080',
    sentence: 'The port to listen on; 0 picks a free one, which the ready line names.',
  }),
  dataDirectory: text(isPath, {
    variable: 'BILLHOOK_DATA',
    flag: '--data',
    fallback: './data',
    expects: 'a path',
    sentence:
      'The directory that holds all state, unless a database does. It is created if missing, and only one process can use it at a time.',
  }),
  store: text(isStore, {
    fallback: 'lmdb',
    expects: 'lmdb, or postgres://user:password@host:port/database with one host or several with commas between them',
    sentence:
      'Where the state is kept: in files of the data directory (lmdb), or in a PostgreSQL database, which outlives the machine.',
    secret: true,
  }),
  create: onOff({
    fallback: 'on',
    sentence:
      'Create a store where there is none, with a warning. With off, the service then refuses to start, so that an unmounted volume or a mistyped path is noticed before anything is recorded in a new, empty store.',
  }),
  sandbox: onOff({
    flag: '--sandbox',
    switch: true,
    fallback: 'off',
    sentence:
      'Run with a simulated ledger and simulated networks inside the process. Cannot be combined with a real ledger or real networks.',
  }),
  sandboxLedger: choice(['quiet', 'real'], {
    fallback: 'quiet',
    sentence:
      'The simulated ledger of the sandbox: quiet is one node without surprises; real behaves like a network of three with everything that was observed on real nodes, such as answers that never come.',
  }),
  publicUrl: optional.text(isBaseUrl, {
    base: true,
    fallbackText: 'derived from the listen address',
    expects: 'an absolute http or https URL without query, fragment or credentials',
    sentence: 'The URL under which clients reach the service.',
  }),
  tlsCert: optional.text(isPath, {
    fallbackText: 'none: the service speaks HTTP',
    expects: 'a path',
    sentence:
      'The PEM file with the certificate for HTTPS, followed by those of its issuers. It is read again on SIGHUP.',
  }),
  tlsKey: optional.text(isPath, {
    fallbackText: 'none; needed for HTTPS',
    expects: 'a path',
    sentence: 'The PEM file with the private key of the certificate, without a passphrase. It is read again on SIGHUP.',
  }),
  gatewaySecrets,
}
