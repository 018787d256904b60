/** Text as Markdown shows it unchanged, in a paragraph or in the cell of a table. */
export function plain(text: string): string {
  return text.replaceAll(/[\\`*_<>|[\]&~#]/g, (character) => `\\${character}`).replaceAll('\n', ' ')
}

export type Align = 'left' | 'right'

export interface Column {
  readonly title: string
  readonly align: Align
}

/** A table whose cells are Markdown. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rules = columns.map(({ align }) => (align === 'right' ? '--:' : '---'))
  return [line(columns.map(({ title }) => title)), line(rules), ...rows.map(line)].join('\n')
}
