/** What text stands on: the page and the card. */
export const GROUNDS = { light: ['#f3f4f6', '#ffffff'], dark: ['#0e1116', '#171b22'] } as const

/** The style of the pages, without its indentation. It contains no character that HTML would escape. Sides are logical, for texts from right to left. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: ${GROUNDS.light[0]};
  --card: ${GROUNDS.light[1]};
  --line: #dfe3e8;
  --text: #14181f;
  --quiet: #59616e;
  --accent: #0a58ca;
  --waiting: #8a4b00;
  --waiting-ground: #fff3df;
  --paid: #0b6b34;
  --paid-ground: #e2f6e9;
  --label: #5b2a86;
  --label-ground: #f1e6fb;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: ${GROUNDS.dark[0]};
    --card: ${GROUNDS.dark[1]};
    --line: #2d3440;
    --text: #e8ebf0;
    --quiet: #a2abb8;
    --accent: #7db4ff;
    --waiting: #ffc878;
    --waiting-ground: #3a2a10;
    --paid: #79dba0;
    --paid-ground: #12331f;
    --label: #d9b8ff;
    --label-ground: #2d1d40;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  padding: 1rem;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
main {
  max-width: 34rem;
  margin: 1rem auto;
  padding: 1.5rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.75rem;
}
.brand { max-width: 34rem; margin: 1rem auto 0; padding: 0 1.5rem; font-size: 1.125rem; font-weight: 600; }
.brand img { display: block; height: 3rem; max-width: 100%; padding: 0.25rem; border-radius: 0.375rem; object-fit: contain; background: #ffffff; color: #14181f; color-scheme: light; }
h1 { margin: 0; font-size: 1.25rem; line-height: 1.3; }
h2 { margin: 1.75rem 0 0.5rem; font-size: 1rem; }
p { margin: 0.5rem 0; }
a { color: var(--accent); }
.sandbox, .test { border-radius: 0.5rem; background: var(--label-ground); color: var(--label); font-weight: 600; }
.sandbox { max-width: 34rem; margin: 0 auto; padding: 0.5rem 1rem; text-align: center; }
.test { display: inline-block; padding: 0 0.5rem; }
.description { color: var(--quiet); white-space: pre-wrap; }
.amount { margin: 1.25rem 0 0.75rem; font-size: 2.25rem; font-weight: 700; line-height: 1.15; }
.amount.long { font-size: 1.25rem; }
.status { padding: 0.625rem 0.875rem; border-radius: 0.5rem; font-weight: 600; }
.status p { margin: 0; }
.status .detail, .status .contact { margin-top: 0.25rem; font-weight: 400; }
.status.waiting { background: var(--waiting-ground); color: var(--waiting); }
.status.paid { background: var(--paid-ground); color: var(--paid); }
.status.closed { background: var(--ground); color: var(--text); border: 1px solid var(--line); }
.status a { color: inherit; }
.caution { color: var(--waiting); }
#last-call, #lost, .wallets p { padding: 0.625rem 0.875rem; border: 2px solid var(--waiting); border-radius: 0.5rem; background: var(--waiting-ground); color: var(--waiting); font-weight: 600; }
#last-call:empty, #lost[hidden], html.ending .wallets, .wallets:empty, #last-call:not(:empty) ~ * .send, html:is(.ending, .sent) :is(.send, .copy) { display: none; }
#lost { position: sticky; top: 0.5rem; z-index: 1; max-width: 34rem; margin: 0 auto; }
.wallets { margin-top: 1rem; }
.wallets button { display: block; width: 100%; margin-top: 0.5rem; background: var(--accent); color: var(--card); font-weight: 600; }
.wallets button[aria-disabled=true] { opacity: 0.6; cursor: default; }
.quiet { color: var(--quiet); font-size: 0.875rem; }
.button { display: inline-block; min-height: 2.75rem; padding: 0.5rem 0.875rem; border-radius: 0.5rem; background: var(--accent); color: var(--card); font-weight: 600; text-decoration: none; }
button {
  min-height: 2.75rem;
  padding: 0.5rem 0.875rem;
  border: 1px solid var(--accent);
  border-radius: 0.5rem;
  background: var(--card);
  color: var(--accent);
  font: inherit;
  cursor: pointer;
}
.copy { margin-bottom: 0.75rem; }
html:not(.js) .copy, html:not(.js) .script, html.js .scriptless, .receipt { display: none; }
.unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); user-select: none; -webkit-user-select: none; }
.terms { margin: 1rem 0 0; }
.terms div { display: flex; flex-wrap: wrap; gap: 0 0.75rem; }
.terms dt { color: var(--quiet); }
.terms dd { margin: 0; }
.choice { margin-top: 1.25rem; }
.choice p { margin: 0 0 0.5rem; color: var(--quiet); font-size: 0.875rem; }
.choice ul { display: grid; gap: 0.5rem; margin: 0; padding: 0; list-style: none; }
.choice a { display: block; padding: 0.5rem 0.875rem; border: 1px solid var(--quiet); border-radius: 0.5rem; color: inherit; text-decoration: none; }
.choice a[aria-current] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); font-weight: 600; }
.choice span { display: block; color: var(--quiet); font-size: 0.875rem; font-weight: 400; }
.network { font-weight: 600; }
.tabs { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 1.25rem 0 0; padding: 0; border: 0; min-width: 0; }
.tabs legend { margin-bottom: 0.5rem; padding: 0; color: var(--quiet); font-size: 0.875rem; }
.tabs input { position: absolute; opacity: 0; }
html:not(.js) .tabs input { display: none; }
.tabs label a { color: inherit; text-decoration: none; }
.tabs label { min-height: 2.75rem; padding: 0.5rem 0.875rem; border: 1px solid var(--quiet); border-radius: 0.5rem; cursor: pointer; }
.tabs input:checked + label { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); font-weight: 600; }
.tabs input:focus-visible + label { outline: 3px solid var(--accent); outline-offset: 2px; }
.tabs .panel { order: 1; display: none; flex-basis: 100%; min-width: 0; }
.tabs input:checked + label + .panel { display: block; }
.panel h2 { margin-top: 1rem; }
.coin::before {
  content: attr(data-letter);
  content: attr(data-letter) / attr(data-unspoken);
  display: inline-block;
  width: 1.75rem;
  margin-inline-end: 0.5rem;
  border: 2px solid var(--accent);
  border-radius: 50%;
  line-height: 1.5rem;
  text-align: center;
}
.qr { display: block; max-width: 100%; margin: 0.75rem 0; border: 1px solid var(--line); border-radius: 0.5rem; background: #ffffff; }
.address {
  display: block;
  padding: 0.625rem 0.75rem;
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  background: var(--ground);
  font: 1rem/1.6 ui-monospace, monospace;
  text-align: left;
  user-select: all;
  -webkit-user-select: all;
}
.address span { display: inline-block; margin-right: 0.5em; }
.transactions { margin: 0; padding: 0; list-style: none; }
.transactions li { padding: 0.5rem 0; border-top: 1px solid var(--line); }
.transactions p { margin: 0; }
.hash { display: inline-block; max-width: 100%; }
.hash code { font: 1em/1.6 ui-monospace, monospace; }
a, summary { text-underline-offset: 0.15em; }
summary { min-height: 1.5rem; color: var(--accent); cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
footer { max-width: 34rem; margin: 0 auto; padding: 0 1.5rem; font-size: 0.875rem; }
.languages { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
.languages a { padding: 0.25rem 0; color: var(--quiet); }
.languages a[aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
@media (max-width: 30rem) {
  body { padding: 0.5rem; }
  main { padding: 1rem; }
  .brand { padding: 0 1rem; }
}
@media print {
  :root { color-scheme: light; }
  body { background: #ffffff; color: #000000; }
  main { border: 0; border-radius: 0; padding: 1rem 0 0; }
  .brand { padding: 0; }
  footer, button, .back, .screen, .scriptless, .tabs input { display: none; }
  .tabs .panel, .receipt { display: block; }
  .receipt dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0.375rem 0; border-top: 1px solid var(--line); break-inside: avoid; }
  .receipt dt { flex: 0 0 10rem; color: var(--quiet); }
  .receipt dd { flex: 1 1 20rem; margin: 0; }
  .receipt dd p { margin: 0 0 0.25rem; }
  .receipt code { font: 0.875em/1.6 ui-monospace, monospace; }
}
`.replace(/\n +/g, '\n')
