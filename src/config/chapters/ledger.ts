import { each, isBaseUrl, isFollowedContract } from '../checks.js'
import { list, quantity } from '../setting.js'
import { pollPause } from './poll-pause.js'

/** The last time with 13 digits, in the year 2286: nodes compare times as text. */
const TIME_LIMIT_MS = 9_999_999_999_999

/** The nodes of the ledger, and what is followed there. */
export const ledger = {
  ledgerUrls: list(each(isBaseUrl), {
    variable: 'BILLHOOK_LEDGER_URL',
    base: true,
    fallbackText: 'none',
    expects: 'a comma-separated list of absolute http or https URLs without query, fragment or credentials',
    sentence:
      'Base URLs of the read API of ledger nodes. It is queried for identities that are unknown here and for the transactions that are followed.',
  }),
  ledgerTimeoutMs: quantity(1, 60_000, 'milliseconds', {
    fallback: '5000',
    sentence: 'The timeout of one request to the ledger.',
  }),
  ledgerStoreUrls: list(each(isBaseUrl), {
    variable: 'BILLHOOK_LEDGER_STORE_URL',
    base: true,
    fallbackText: 'none: the ledger is not followed',
    expects: 'a comma-separated list of absolute http or https URLs without query, fragment or credentials',
    sentence:
      'Base URLs of the stores of ledger nodes, which are followed for onboardings and assignments. Give at least two: a single store can miss transactions.',
  }),
  ledgerFollow: list(each(isFollowedContract), {
    fallbackText: 'none',
    expects:
      'a comma-separated list such as onboard=shop/3f2a, assign=shop/9be1 or replace=shop/5c07, each <role>=<namespace>/<contract id>',
    sentence:
      'The contracts whose committed transactions are onboardings and assignments, or replace the keys of an identity.',
  }),
  ledgerNodes: list(each(isBaseUrl), {
    base: true,
    fallbackText: 'none',
    expects: 'a comma-separated list of absolute http or https URLs without query, fragment or credentials',
    sentence:
      'Base URLs of the nodes to which clients post their transactions. `GET /api/info` names them; the service itself never calls them.',
  }),
  ledgerContracts: list(each(isFollowedContract), {
    fallbackText: 'none',
    expects: 'such as onboard=shop/3f2a,assign=shop/9be1: one contract of each role, of one namespace',
    sentence: 'The contracts that clients name in their transactions. `GET /api/info` returns them.',
  }),
  ledgerFollowFrom: quantity(0, TIME_LIMIT_MS, 'milliseconds', {
    fallback: '0',
    sentence: 'The Unix time from which the ledger is followed. Changing it starts the follower again from there.',
  }),
  ledgerOverlapSeconds: quantity(0, 24 * 60 * 60, 'seconds', {
    fallback: '600',
    sentence: 'How far back the ledger is read again, to find transactions that it listed late.',
  }),
  ledgerPollMs: pollPause({
    fallback: '2000',
    sentence: 'The pause between two polls of the ledger when nothing new was found.',
  }),
}
