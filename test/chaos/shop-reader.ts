/* Reads pages as people do: texts, figures, tables. Independent of what makes the pages. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&#39;': "'",
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}

/** The text of some HTML, blanks in one piece. */
export function textOf(html: string): string {
  return html
    .replace(/<(style|script|title)[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:#39|quot|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .replace(/ ([.,])/g, '$1')
    .trim()
}

/** The amounts with a coin in a text. */
export function figuresIn(text: string): readonly string[] {
  return [...text.matchAll(/(\d[\d.]*) (USDT|TRX|ETH)(?![A-Za-z])/g)].map(
    ([, amount, coin]) => `${plain(amount ?? '')} ${coin}`,
  )
}

/** A number without zeros at its end. */
function plain(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount
}

/** What the first list of facts of a page says, by label. */
export function factsIn(html: string): ReadonlyMap<string, string> {
  const facts = [...html.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)]
  return new Map(facts.map(([, label = '', value = '']) => [textOf(label), textOf(value)]))
}

/** The part of a page from one heading to the next. */
export function sectionOf(html: string, heading: string): string {
  const [, rest = ''] = html.split(`<h2>${heading}</h2>`)
  return rest.split('<h2>')[0] ?? ''
}

/** The hashes that a page shows in a part. */
export function hashesIn(html: string): readonly string[] {
  return [...new Set([...html.matchAll(/\b(?:0x)?[0-9a-f]{64}\b/g)].map(([hash]) => hash))]
}
