import { createRequire } from 'node:module'
import { askChild } from '../child.js'
import { type LoadGenerator, ranOutOf } from './load.js'

/** The result of autocannon. */
export interface AutocannonReport {
  readonly perSecond: number
  /** Answers other than 2xx, and requests without an answer. */
  readonly failed: number
  /** How many requests there were, if they ran out; null otherwise. */
  readonly ranOutOf: number | null
}

const { version } = createRequire(import.meta.url)('autocannon/package.json') as { readonly version: string }

/** autocannon in a process of its own. */
export const autocannonLoad: LoadGenerator = {
  name: 'autocannon',
  version,
  run: async (load) => {
    const { perSecond, failed, ranOutOf: all } = await askChild<AutocannonReport>('./load/autocannon-child.js', load)
    // What answers with a constant takes them again.
    if (failed > 0) throw new Error(all === null ? `${failed} requests failed` : ranOutOf(all))
    if (!(perSecond > 0)) throw new Error('no request was answered')
    return perSecond
  },
}
