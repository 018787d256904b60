import { choice, quantity } from '../setting.js'

const VERIFY_THREADS_LIMIT = 256

/** What fits most machines by default. */
export const tuning = {
  verifyThreads: quantity(1, VERIFY_THREADS_LIMIT, 'threads', {
    fallback: ({ cores }) => String(Math.min(Math.max(cores - 1, 1), VERIFY_THREADS_LIMIT)),
    fallbackText: 'cores - 1, at least 1',
    sentence: 'The number of threads that verify request signatures.',
  }),
  verifyEngine: choice(['auto', 'libsecp256k1', 'noble'], {
    fallback: 'auto',
    sentence: 'The secp256k1 implementation; auto uses libsecp256k1 if its binary loads, else noble.',
  }),
  keyTables: quantity(0, 8192, 'keys', {
    fallback: '256',
    sentence:
      'The number of frequently used keys for which each verification thread keeps a table of 148 KiB; 0 for none.',
  }),
  httpServer: choice(['auto', 'uws', 'node'], {
    variable: 'BILLHOOK_HTTP',
    fallback: 'auto',
    sentence: 'The HTTP server; auto uses uWebSockets.js if it has a binary for this version of Node, else node:http.',
  }),
}
