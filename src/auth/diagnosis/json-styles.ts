/** How a library writes JSON. */
interface JsonStyle {
  /** Between items, and between a name and its value. */
  readonly item: string
  readonly colon: string
  readonly isSorted?: boolean
  /** Characters beyond ASCII as `\uXXXX`. */
  readonly isAscii?: boolean
  /** Characters that are escaped although JSON does not ask for it. */
  readonly escapes?: (text: string) => string
}

const escapeSlashes = (text: string) => text.replaceAll('/', '\\/')
const escapeHtml = (text: string) => text.replace(/[<>&\u2028\u2029]/g, unicodeEscape)

/** Styles by who writes so. */
const STYLES: readonly JsonStyle[] = [
  // JavaScript, and compact writers in general.
  { item: ',', colon: ':' },
  { item: ',', colon: ':', isSorted: true },
  // Python, json.dumps.
  { item: ', ', colon: ': ', isAscii: true },
  { item: ', ', colon: ': ' },
  { item: ', ', colon: ': ', isAscii: true, isSorted: true },
  { item: ',', colon: ':', isAscii: true },
  { item: ',', colon: ':', isAscii: true, isSorted: true },
  // PHP, json_encode.
  { item: ',', colon: ':', isAscii: true, escapes: escapeSlashes },
  { item: ',', colon: ':', escapes: escapeSlashes },
  // Go, encoding/json: maps are sorted.
  { item: ',', colon: ':', escapes: escapeHtml },
  { item: ',', colon: ':', escapes: escapeHtml, isSorted: true },
]

const INDENTS: readonly (number | string)[] = [2, 4, '\t']

/** The value in every style, also with a line feed at the end. */
export function jsonTexts(value: unknown): readonly string[] {
  const flat = STYLES.map((style) => jsonText(value, style))
  const indented = INDENTS.map((indent) => JSON.stringify(value, null, indent))
  return [...flat, ...indented].flatMap((text) => [text, `${text}\n`])
}

function jsonText(value: unknown, style: JsonStyle): string {
  if (Array.isArray(value)) return `[${value.map((one) => jsonText(one, style)).join(style.item)}]`
  if (typeof value !== 'object' || value === null) return scalarText(value, style)
  const entries = Object.entries(value)
  if (style.isSorted === true) entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const members = entries.map(([name, one]) => `${scalarText(name, style)}${style.colon}${jsonText(one, style)}`)
  return `{${members.join(style.item)}}`
}

function scalarText(value: unknown, { isAscii, escapes }: JsonStyle): string {
  const text = JSON.stringify(value)
  const escaped = escapes === undefined ? text : escapes(text)
  return isAscii === true ? escaped.replace(/[^\0-\x7f]/g, unicodeEscape) : escaped
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
