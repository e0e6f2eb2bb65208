/** Both colour schemes from one set of names; nothing is told by colour alone. */
export const PAGE_STYLE = `
:root {
  --ground: #f6f7f9; --surface: #fff; --line: #e1e5ea; --text: #1a2029; --quiet: #626d7a;
  --good: #1a7f4b; --good-soft: #dff3e8; --warn: #9a6200; --warn-soft: #fdf0d5;
  --bad: #c0322b; --bad-soft: #fde4e1; --accent: #2f6fdb; --accent-soft: #dbe7fb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1318; --surface: #171c23; --line: #29313b; --text: #e4e9ef; --quiet: #8f9baa;
    --good: #4cc38a; --good-soft: #123325; --warn: #e2a336; --warn-soft: #3a2b0e;
    --bad: #ff7b72; --bad-soft: #421c1a; --accent: #75a7ff; --accent-soft: #1b2b47;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 1280px; padding: 0 20px 48px; background: var(--ground); color: var(--text);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  font-variant-numeric: tabular-nums;
}
header { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px; padding: 22px 0 16px; }
h1 { font-size: 18px; font-weight: 650; letter-spacing: -.01em; margin: 0; }
h2 { font-size: 12px; font-weight: 600; color: var(--quiet); text-transform: uppercase; letter-spacing: .06em;
  margin: 28px 0 8px; }
h3 { font-size: 15px; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
#link { margin-left: auto; }
.pill { border-radius: 99px; padding: 2px 10px; font-size: 12px; font-weight: 600; white-space: nowrap;
  background: var(--line); color: var(--quiet); }
.pill.good { background: var(--good-soft); color: var(--good); }
.pill.warn { background: var(--warn-soft); color: var(--warn); }
.pill.bad { background: var(--bad-soft); color: var(--bad); }
.panel, #figures, .rows, .card, #events ol { background: var(--surface); border: 1px solid var(--line);
  border-radius: 10px; }
#figures { display: grid; grid-template-columns: repeat(4, 1fr); overflow: hidden; }
.figure { position: relative; padding: 14px 18px; border-left: 1px solid var(--line); min-width: 0; }
.figure:first-child { border-left: 0; }
.figure b { display: block; font-size: 24px; font-weight: 620; letter-spacing: -.02em; line-height: 1.25; }
.figure b.bad { color: var(--bad); }
.figure .name { color: var(--quiet); font-size: 12px; }
.figure svg { position: absolute; right: 14px; bottom: 14px; width: 42%; height: 34px; }
.area { fill: var(--accent-soft); }
.curve { fill: none; stroke: var(--accent); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.row { display: grid; align-items: center; gap: 2px 16px; padding: 9px 18px; border-top: 1px solid var(--line); }
.row:first-child { border-top: 0; }
.row.head { color: var(--quiet); font-size: 12px; padding-top: 8px; padding-bottom: 7px; }
.row > * { min-width: 0; overflow-wrap: anywhere; }
.number { text-align: right; white-space: nowrap; }
.listener { grid-template-columns: minmax(180px, 1.5fr) 70px repeat(3, 90px) minmax(220px, 2fr); }
.endpoint { grid-template-columns: minmax(220px, 1.6fr) 80px 90px 170px minmax(240px, 2fr); }
.address { font-weight: 550; }
.address .quiet { font-weight: 400; margin-left: 8px; }
.address .small { padding-left: 18px; }
.row > .small, .row > .codes { padding-left: 14px; }
.small { font-size: 12px; }
.cards { display: grid; gap: 14px; }
.card > .top { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; padding: 13px 18px 11px; }
.limits { display: flex; flex-wrap: wrap; gap: 6px 22px; margin-left: auto; }
.limit { display: grid; gap: 3px; font-size: 12px; color: var(--quiet); min-width: 132px; }
.limit .bad { color: var(--bad); font-weight: 600; }
.bar { width: 100%; height: 4px; display: block; border-radius: 2px; overflow: hidden; background: var(--line); }
.bar rect { fill: var(--accent); } .bar.warn rect { fill: var(--warn); } .bar.bad rect { fill: var(--bad); }
.card .row.head { border-top: 1px solid var(--line); }
.dot { display: inline-block; width: 9px; height: 9px; border-radius: 50%; background: var(--bad); margin-right: 9px; }
.dot.good { background: var(--good); } .dot.warn { background: var(--warn); }
.dot.off { background: transparent; border: 2px solid var(--quiet); }
.tag { display: inline-block; border-radius: 4px; padding: 0 6px; margin-right: 5px; font-size: 12px;
  background: var(--line); color: var(--quiet); }
.tag.warn { background: var(--warn-soft); color: var(--warn); }
.tag.bad { background: var(--bad-soft); color: var(--bad); }
.codes { display: flex; flex-wrap: wrap; gap: 2px 12px; font-size: 12px; color: var(--quiet); }
.codes .warn { color: var(--warn); } .codes .bad { color: var(--bad); font-weight: 600; }
#events ol { list-style: none; margin: 0; padding: 0; max-height: 420px; overflow: auto; }
#events ol:empty { display: none; } #events ol:not(:empty) ~ .none, .none:has(~ ol:not(:empty)) { display: none; }
#events li { display: grid; grid-template-columns: 6.5em 9px 1fr; gap: 12px; align-items: baseline; padding: 7px 18px;
  border-top: 1px solid var(--line); overflow-wrap: anywhere; }
#events li:first-child { border-top: 0; }
.stale main { opacity: .5; }
@media (max-width: 940px) {
  body { padding: 0 12px 32px; }
  header { padding: 16px 2px 12px; }
  #link { margin-left: 0; }
  .row.head { display: none; }
  .row, .card > .top { padding-left: 14px; padding-right: 14px; }
  .row > .small, .row > .codes { padding-left: 0; }
  .limits { margin-left: 0; width: 100%; display: grid; grid-template-columns: repeat(3, 1fr); gap: 14px; }
  .row { display: flex; flex-wrap: wrap; gap: 2px 16px; }
  .row > :first-child, .row > .wide { width: 100%; }
  .number { text-align: left; }
  .row [data-name]::after { content: " " attr(data-name); color: var(--quiet); font-size: 12px; }
  .limit { min-width: 0; align-content: end; }
  #events li { grid-template-columns: 9px 1fr; gap: 1px 12px; padding: 7px 14px; }
  #events time { grid-column: 2; order: 3; }
}
@media (max-width: 700px) {
  #figures { grid-template-columns: 1fr 1fr; }
  .figure { padding: 11px 14px; }
  .figure:nth-child(odd) { border-left: 0; }
  .figure:nth-child(n + 3) { border-top: 1px solid var(--line); }
  .figure b { font-size: 20px; }
}
`;
