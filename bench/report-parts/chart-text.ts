/** Text in charts: how wide it is, and how it is broken. SVG neither measures nor wraps text. */

/** Mean width of a character in fonts without serifs, as a part of the font's size; on the wide side. */
const CHARACTER_WIDTH = 0.62

export function textWidth(text: string, sizePx: number): number {
  return text.length * sizePx * CHARACTER_WIDTH
}

/** Breaks text between words into at most `lineLimit` lines; what does not fit ends in an ellipsis. */
export function wrapText(text: string, widthPx: number, sizePx: number, lineLimit: number): string[] {
  const lengthMax = Math.max(3, Math.floor(widthPx / (sizePx * CHARACTER_WIDTH)))
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= lengthMax) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  const kept = lines.slice(0, lineLimit)
  if (lines.length > lineLimit) kept[lineLimit - 1] = `${kept[lineLimit - 1]} …`
  return kept.map((line) => (line.length <= lengthMax ? line : `${line.slice(0, lengthMax - 1).trimEnd()}…`))
}
