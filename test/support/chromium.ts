import { absenceOf, programFile } from './programs.js'

/** As Debian names them. With the first, which draws no window, the tests take a third less of the processor. */
const PROGRAMS = ['chromium-headless-shell', 'chromium'] as const

const file = PROGRAMS.map(programFile).find((found) => found !== null) ?? null

/** Why tests in a browser are skipped here; false if they are not. */
export const noBrowser: string | false = file === null ? absenceOf(PROGRAMS[0]) : false

export function chromiumFile(): string {
  if (file === null) throw new Error(String(noBrowser))
  return file
}
