const UNRELEASED = '## Unreleased'
/** The next section, or the end. */
const SECTION_END = /\n## |$(?![\s\S])/

/** Whether it tells of anything that is not released yet. */
export function hasUnreleased(changelog: string): boolean {
  return (unreleasedSection(changelog) ?? '') !== ''
}

/** The text of the section of what is not released yet, without its heading. Throws when there is none, or nothing in it. */
export function unreleasedText(changelog: string): string {
  const text = unreleasedSection(changelog)
  if (text === null) throw new Error(`CHANGELOG.md has no section "${UNRELEASED}"`)
  if (text === '') throw new Error(`the section "${UNRELEASED}" of CHANGELOG.md is empty`)
  return text
}

function unreleasedSection(changelog: string): string | null {
  const at = changelog.indexOf(`\n${UNRELEASED}\n`)
  if (at === -1) return null
  const rest = changelog.slice(at + UNRELEASED.length + 2)
  return rest.slice(0, rest.search(SECTION_END)).trim()
}

/** The changelog with that section under the version and its date, and an empty one above it. */
export function withRelease(changelog: string, version: string, date: string): string {
  unreleasedText(changelog)
  if (changelog.includes(`\n## ${version} `)) throw new Error(`CHANGELOG.md has a section for ${version} already`)
  return changelog.replace(`\n${UNRELEASED}\n`, `\n${UNRELEASED}\n\n## ${version} (${date})\n`)
}
