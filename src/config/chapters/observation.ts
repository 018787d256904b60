import { each, isHost, isHostName, isPath } from '../checks.js'
import { choice, list, optional, quantity, text } from '../setting.js'

const DRAIN_LIMIT_SECONDS = 600
const PASSWORD_LENGTH_MINIMUM_CHARACTERS = 16

/** Logs, metrics and health. */
export const observation = {
  metricsPort: optional.port({
    fallbackText: 'none: metrics are off',
    sentence:
      'The port that serves GET /metrics for Prometheus, and the console; 0 picks a free one, which is printed at start.',
  }),
  metricsHost: text(isHost, {
    fallback: '127.0.0.1',
    expects: 'an IP address (IPv6 without brackets) or a host name',
    sentence: 'The address on which the metrics port listens. Anyone who can reach it can read the metrics.',
  }),
  consolePassword: optional.text((given) => [...given].length >= PASSWORD_LENGTH_MINIMUM_CHARACTERS, {
    fallbackText: 'none: the console is open on loopback, and off if the metrics port listens on another address',
    expects: `at least ${PASSWORD_LENGTH_MINIMUM_CHARACTERS} characters long`,
    sentence: 'The password that the console on the metrics port asks for.',
    secret: true,
  }),
  consoleHosts: list(each(isHostName), {
    fallbackText: 'none: IP addresses and localhost',
    expects: 'a comma-separated list of host names such as ops.example',
    sentence: 'The names, besides IP addresses and localhost, under which browsers reach the console.',
  }),
  logLevel: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    variable: 'BILLHOOK_LOG',
    fallback: 'info',
    sentence: 'The lowest level to log; debug adds one line for each request.',
  }),
  logLevelFile: optional.text(isPath, {
    fallbackText: 'none',
    expects: 'a path',
    sentence:
      'A file that holds a log level, which replaces that of BILLHOOK_LOG while the file exists. It is read at start and on SIGHUP.',
  }),
  drainSeconds: quantity(0, DRAIN_LIMIT_SECONDS, 'seconds', {
    fallback: '0',
    sentence:
      'The time between a signal to stop and the stop, in which /readyz is 503 and everything is served, so that proxies can turn to another server.',
  }),
  watchLagSeconds: quantity(1, 7 * 24 * 60 * 60, 'seconds', {
    fallback: '300',
    sentence:
      'The lag of a watched network or of the ledger follower from which /readyz reports the service as degraded.',
  }),
}
