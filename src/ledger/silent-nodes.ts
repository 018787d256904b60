import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import type { SilentNode } from './read-apis.js'

/** For how long a node was silent that answers again. */
export interface Silence {
  /** Unix milliseconds. */
  readonly sinceMs: number
  readonly forMs: number
}

const NAMES = { store: 'store', readApi: 'read API' } as const

/** The nodes of a kind that do not answer. Each is logged once, and again when it answers. */
export class SilentNodes {
  private readonly since = new Map<string, number>()

  constructor(
    private readonly kind: keyof typeof NAMES,
    private readonly parts: { readonly clock: Clock; readonly log: Logger },
  ) {}

  /** Takes those that are silent now. Answers how long each of the others was that had been silent. */
  note(silent: readonly SilentNode[]): readonly Silence[] {
    const { clock, log } = this.parts
    const nowMs = clock.now()
    for (const { node, why } of silent) {
      if (this.since.has(node)) continue
      this.since.set(node, nowMs)
      log.warn({ [this.kind]: node, why }, `a ${NAMES[this.kind]} of the ledger does not answer`)
    }
    const ended: Silence[] = []
    for (const [node, sinceMs] of this.since) {
      if (silent.some((one) => one.node === node)) continue
      this.since.delete(node)
      log.info({ [this.kind]: node }, `a ${NAMES[this.kind]} of the ledger answers again`)
      ended.push({ sinceMs, forMs: nowMs - sinceMs })
    }
    return ended
  }
}
