import { quantity, type Setting, type SettingAbout } from '../setting.js'

const POLL_MINIMUM_MS = 100
const POLL_LIMIT_MS = 600_000

/** The pause between two polls of a node. */
export function pollPause(about: Omit<SettingAbout, 'expects' | 'unit'>): Setting<number> {
  return quantity(POLL_MINIMUM_MS, POLL_LIMIT_MS, 'milliseconds', about)
}
