/* What a terminal obeys in text that others chose. */

/** What a terminal obeys, or what changes the order of what it shows. Lines and columns stay. */
const OBEYED = /(?![\n\t]|\r\n)[\p{Cc}\p{Bidi_C}\u2028\u2029]/gu

/** Text of several lines without anything that a terminal obeys. */
export function harmless(text: string): string {
  return text.replace(OBEYED, '?')
}

/** The same with what is left out written as escapes of JSON, so that nothing is lost. */
export function escaped(text: string): string {
  return text.replace(OBEYED, escapes)
}

/** A character as escapes of JSON. */
export function escapes(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    const unit = character.charCodeAt(at).toString(16).padStart(4, '0')
    return `\\u${unit}`
  }).join('')
}
