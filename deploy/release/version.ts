const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/

/** Why a version cannot follow the present one; null when it can. The present one may be released once more if it never was. */
export function flawOfVersion(next: string, present: string, tags: readonly string[]): string | null {
  const [wanted, given] = [numbersOf(next), numbersOf(present)]
  if (wanted === null) return `${JSON.stringify(next)} is not a version such as 1.2.3`
  if (given === null) return `package.json has the version ${JSON.stringify(present)}, which is none`
  if (tags.includes(`v${next}`)) return `the tag v${next} exists already`
  const released = tags.map((tag) => numbersOf(tag.replace(/^v/, ''))).filter((version) => version !== null)
  const later = [given, ...released].find((version) => isBefore(wanted, version))
  return later === undefined ? null : `${next} goes backwards: ${later.join('.')} is there already`
}

type Numbers = readonly [number, number, number]

function numbersOf(version: string): Numbers | null {
  const [, major, minor, patch] = VERSION.exec(version) ?? []
  return patch === undefined ? null : [Number(major), Number(minor), Number(patch)]
}

function isBefore(a: Numbers, b: Numbers): boolean {
  const [different] = [0, 1, 2].filter((i) => a[i] !== b[i])
  return different !== undefined && (a[different] ?? 0) < (b[different] ?? 0)
}
