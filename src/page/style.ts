import { createHash } from 'node:crypto'

/**
 * The style of the pages. It contains no character that HTML would escape: the browser compares the hash below with the
 * exact text between the `<style>` tags.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f3f4f6;
  --card: #ffffff;
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
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1116;
    --card: #171b22;
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
.status .detail { margin-top: 0.25rem; font-weight: 400; }
.status.waiting { background: var(--waiting-ground); color: var(--waiting); }
.status.paid { background: var(--paid-ground); color: var(--paid); }
.status.closed { background: var(--ground); color: var(--text); border: 1px solid var(--line); }
.caution { color: var(--waiting); }
.quiet { color: var(--quiet); font-size: 0.875rem; }
dl { margin: 0.5rem 0 0; }
.wallets dt { margin-top: 0.75rem; color: var(--quiet); font-size: 0.875rem; }
.wallets dd { margin: 0.25rem 0 0; }
.address {
  display: block;
  padding: 0.625rem 0.75rem;
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  background: var(--ground);
  font: 0.9375rem/1.4 ui-monospace, monospace;
  user-select: all;
  -webkit-user-select: all;
}
`

/** The source expression that allows `STYLE`, and no other style, in a Content-Security-Policy (CSP 3, 2.3.1). */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`
