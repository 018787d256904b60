import { missingPrograms, programFile } from './programs.js'

/** As Debian names it. */
const CHROMIUM = 'chromium'

/** Why tests in a browser are skipped here; false if they are not. */
export const noBrowser = missingPrograms(CHROMIUM)

export function chromiumFile(): string {
  const file = programFile(CHROMIUM)
  if (file === null) throw new Error(String(noBrowser))
  return file
}
