/** What the console adds to the style of the pages. It contains no character that HTML would escape. */
export const CONSOLE_STYLE = `
main, .bar, footer { max-width: 76rem; }
.bar { margin: 0 auto; }
.bar ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0; padding: 0; list-style: none; }
.bar a { display: inline-block; padding: 0.375rem 0; }
.bar a[aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
form.search { display: flex; gap: 0.5rem; margin: 0.5rem 0; }
.search input { flex: 1 1 auto; min-width: 0; max-width: 32rem; }
.search button { flex: none; white-space: nowrap; }
.skip { position: absolute; left: -100vw; }
.skip:focus { position: static; }
form.filter { display: flex; flex-wrap: wrap; align-items: end; gap: 0.75rem; margin: 1rem 0; }
.filter label, .field label { display: block; color: var(--quiet); font-size: 0.875rem; }
input, select, textarea {
  min-height: 2.75rem;
  max-width: 100%;
  padding: 0.5rem 0.625rem;
  border: 1px solid var(--quiet);
  border-radius: 0.5rem;
  background: var(--card);
  color: var(--text);
  font: inherit;
}
.table { width: 100%; margin: 0.75rem 0; border-collapse: collapse; font-size: 0.875rem; }
.table caption { padding: 0.25rem 0; color: var(--quiet); text-align: start; }
.table th, .table td { padding: 0.5rem 0.625rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
.table th { color: var(--quiet); font-weight: 600; overflow-wrap: normal; }
.table .figure { text-align: end; font-variant-numeric: tabular-nums; }
.table td:first-child time, .id.whole { white-space: nowrap; }
.table .lines { white-space: pre-wrap; overflow-wrap: anywhere; }
.table .whole, .table time { overflow-wrap: normal; }
.table details.action, .table .action p { margin: 0; }
.table summary { white-space: nowrap; }
.id { font-family: ui-monospace, monospace; }
main h1 + .status { margin-top: 1rem; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.25rem; margin: 0.75rem 0; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; min-width: 0; }
.counts { display: flex; flex-wrap: wrap; gap: 0.75rem 2rem; margin: 1rem 0; padding: 0; list-style: none; }
.counts strong { display: block; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
textarea { display: block; width: 100%; max-width: 48rem; resize: vertical; }
.action { margin: 0.75rem 0; }
.action form { margin-top: 0.5rem; }
.more { margin: 1rem 0; }
.links { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 1rem; margin: 0.5rem 0; padding: 0; list-style: none; }
.links a { display: inline-block; padding: 0.125rem 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: 1.5rem; }
.charts figure { margin: 0; min-width: 0; }
.charts figcaption { font-weight: 600; }
.charts svg { display: block; width: 100%; height: auto; margin: 0.5rem 0; border-bottom: 1px solid var(--line); }
.charts path { fill: none; stroke: var(--accent); stroke-width: 2; vector-effect: non-scaling-stroke; }
.pre { white-space: pre-wrap; font-family: ui-monospace, monospace; font-size: 0.875rem; }
@media (max-width: 30rem) {
  .filter div, .filter input, .filter select { width: 100%; }
}
@media (max-width: 78rem) {
  .table, .table caption, .table tbody, .table tr, .table td { display: block; }
  .table thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .table tr { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  .table td { display: grid; grid-template-columns: 7rem 1fr; gap: 0.5rem; padding: 0.125rem 0; border: 0; }
  .table td::before { content: attr(data-title); color: var(--quiet); }
  .table .figure { text-align: start; }
  .facts { grid-template-columns: 1fr; gap: 0; }
  .facts dd { margin-bottom: 0.5rem; }
}
`
