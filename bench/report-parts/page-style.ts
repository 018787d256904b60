/** The style of the report's page. Charts bring their own colours. No character of it is one that markup escapes. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--ground:#ffffff;--ink:#1b1f24;--quiet:#5c6670;--line:#e3e7eb;--good:#0b6b4f;--fair:#8a4b00;--bad:#b3202a}
@media (prefers-color-scheme:dark){:root{--ground:#14181d;--ink:#e6e9ec;--quiet:#9aa5b0;--line:#2a3138;--good:#4fc9a1;--fair:#f0a35e;--bad:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Helvetica Neue,Arial,sans-serif}
main{max-width:956px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:26px;line-height:1.2;margin:0 0 4px}
h2{font-size:19px;margin:40px 0 8px;padding-top:16px;border-top:1px solid var(--line)}
h3{font-size:15px;margin:24px 0 4px}
p{margin:4px 0 12px}
.quiet,small{color:var(--quiet)}
small{display:block;font-size:13px;font-weight:400}
.warning{border:1px solid var(--fair);border-radius:6px;padding:8px 12px;color:var(--fair)}
.wide{overflow-x:auto}
tbody th,tbody td:first-child{min-width:180px}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:6px 12px 6px 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;font-weight:400}
thead th{color:var(--quiet);font-size:13px;white-space:nowrap}
.measured thead th:first-child{width:40%}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.number+:not(.number){padding-left:12px}
.verdict{white-space:nowrap;font-weight:600}
.met{color:var(--good)}.floor-holds{color:var(--fair)}.missed{color:var(--bad)}.not-measured{color:var(--quiet)}
.facts{width:auto}.facts th{color:var(--quiet);white-space:nowrap;padding-right:24px}
.charts{display:flex;flex-wrap:wrap;gap:28px 20px;align-items:flex-start}
.charts svg{display:block;max-width:100%;height:auto;border-radius:6px}
@media print{.charts svg,table{break-inside:avoid}}
`
