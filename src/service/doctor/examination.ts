import type { Clock } from '../../clock.js'
import type { Settings } from '../../config.js'
import type { ClockReading } from '../../domain/clock-offset.js'
import type { Logger } from '../../log.js'
import type { Store } from '../../store/store.js'
import type { ProxyProbe } from './proxy-probe.js'

/** What an examination found. */
export interface Finding {
  /** What was examined, in a word or two. */
  readonly name: string
  readonly verdict: 'ok' | 'warning' | 'failed' | 'skipped'
  /** What was seen, one sentence. */
  readonly text: string
  /** What to do about it, one sentence; absent when the text says it. */
  readonly advice?: string
}

/** What a running service knows. */
export interface Running {
  readonly store: Store
  readonly probe: ProxyProbe
  /** How far the machine's clock is off; null while nobody can tell. */
  readonly clockReading: () => ClockReading | null
}

/** What the doctor examines. */
export interface DoctorContext {
  readonly settings: Settings
  readonly clock: Clock
  readonly log: Logger
  /** Null when no service runs: then what only it knows is skipped. */
  readonly running: Running | null
}

/** Looks at one thing. Rejects when it cannot even look. */
export type Examination = (context: DoctorContext) => Promise<readonly Finding[]>

export function ok(name: string, text: string): Finding {
  return { name, verdict: 'ok', text }
}

export function skipped(name: string, text: string): Finding {
  return { name, verdict: 'skipped', text }
}

export function warning(name: string, text: string, advice?: string): Finding {
  return { name, verdict: 'warning', text, ...(advice === undefined ? {} : { advice }) }
}

export function failed(name: string, text: string, advice: string): Finding {
  return { name, verdict: 'failed', text, advice }
}
