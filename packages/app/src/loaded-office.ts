import { signal } from '@preact/signals'
import { loaded } from './session/loaded.js'

interface LoadedOffice {
  readonly module: typeof import('./office.js') | null
  /** Why it could not be loaded. */
  readonly error: unknown
}

/** The screens of an open shop. The first screen does without them. */
export const office = signal<LoadedOffice>({ module: null, error: null })

export async function loadOffice(): Promise<void> {
  try {
    office.value = { module: await loaded(import('./office.js')), error: null }
  } catch (error) {
    office.value = { module: null, error }
  }
}
