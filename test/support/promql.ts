/** What an expression in the language of Prometheus asks for. */
export interface Asked {
  /** Names of time series. */
  readonly series: ReadonlySet<string>
  /** Labels that it selects or groups by. */
  readonly labels: ReadonlySet<string>
  /** Values that labels are compared with, one of each alternative. */
  readonly values: readonly { readonly label: string; readonly value: string }[]
}

const KEYWORDS = new Set(['and', 'or', 'unless', 'offset', 'bool', 'by', 'without', 'on', 'ignoring', 'group_left'])
const MATCHER = /([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g

/**
 * Reads an expression. It must be valid, which `promtool` checks: what is neither a keyword, a label, a number nor a
 * function is then the name of a series.
 */
export function readExpression(expression: string): Asked {
  const matchers = [...expression.matchAll(MATCHER)].map(([, label = '', text = '']) => ({ label, text }))
  const withoutMatchers = expression.replace(MATCHER, '').replace(/\{[^}]*\}/g, '{}')
  const groupings = [...withoutMatchers.matchAll(GROUPING)].flatMap(([, list = '']) => list.split(','))
  const rest = withoutMatchers.replace(GROUPING, '').replace(/\[[^\]]*\]/g, '')
  const words = [...rest.matchAll(/(?<![\w.:])([a-zA-Z_:][\w:]*)(?!\w)(\s*\()?/g)]
  return {
    series: new Set(
      words.filter(([, name = '', call]) => call === undefined && !KEYWORDS.has(name)).map(([, name = '']) => name),
    ),
    labels: new Set([...matchers.map(({ label }) => label), ...groupings.map((one) => one.trim())]),
    values: matchers.flatMap(({ label, text }) => text.split('|').map((value) => ({ label, value }))),
  }
}
