const HUNDREDTHS = 100

/** A spread, which is in hundredths of a percent, in percent: 150 is `1.5`. */
export function percentText(hundredths: number): string {
  const fraction = String(hundredths % HUNDREDTHS)
    .padStart(2, '0')
    .replace(/0+$/, '')
  return `${Math.floor(hundredths / HUNDREDTHS)}${fraction === '' ? '' : `.${fraction}`}`
}
