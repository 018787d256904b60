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
    const { perSecond, failed, ranOutOf: signed } = await askChild<AutocannonReport>('./load/autocannon-child.js', load)
    if (signed !== null) throw new Error(ranOutOf(signed))
    if (failed > 0) throw new Error(`${failed} requests failed`)
    if (!(perSecond > 0)) throw new Error('no request was answered')
    return perSecond
  },
}
