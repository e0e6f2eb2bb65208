/** Both colour schemes from one set of names; nothing is told by colour alone. */
export const PAGE_STYLE = `
:root { --ground: #f6f7f9; --surface: #fff; --line: #e1e5ea; --text: #1a2029; --quiet: #626d7a; --good: #1a7f4b;
  --good-soft: #dff3e8; --warn: #9a6200; --warn-soft: #fdf0d5; --bad: #c0322b; --bad-soft: #fde4e1;
  --accent: #2f6fdb; --accent-soft: #dbe7fb; }
@media (prefers-color-scheme: dark) { :root { --ground: #0f1318; --surface: #171c23; --line: #29313b;
  --text: #e4e9ef; --quiet: #8f9baa; --good: #4cc38a; --good-soft: #123325; --warn: #e2a336;
  --warn-soft: #3a2b0e; --bad: #ff7b72; --bad-soft: #421c1a; --accent: #75a7ff; --accent-soft: #1b2b47; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 0 20px 48px; background: var(--ground); color: var(--text);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-variant-numeric: tabular-nums; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px; padding: 22px 0 16px; }
h1 { font-size: 18px; margin: 0; } #link { margin-left: auto; }
input { font: inherit; padding: 4px 8px; border: 1px solid var(--line); border-radius: 6px; }
h2 { font-size: 12px; font-weight: 600; color: var(--quiet); text-transform: uppercase; letter-spacing: .06em;
  margin: 28px 0 8px; }
.quiet { color: var(--quiet); } .panel p { margin: 6px 0 0; } .panel > p:first-child { margin: 0; }
.pill { border-radius: 99px; padding: 2px 10px; font-size: 12px; font-weight: 600; white-space: nowrap;
  background: var(--line); color: var(--quiet); }
.pill.good { background: var(--good-soft); color: var(--good); }
.pill.warn { background: var(--warn-soft); color: var(--warn); }
.pill.busy { background: var(--accent-soft); color: var(--accent); }
.pill.bad { background: var(--bad-soft); color: var(--bad); }
.panel { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 14px 18px;
  overflow-x: auto; }
.head { display: flex; flex-wrap: wrap; gap: 6px 10px; align-items: center; } .head b { font-size: 16px; }
.figures { display: grid; grid-template-columns: repeat(6, 1fr); gap: 10px 18px; margin-top: 14px; }
.figures b { display: block; font-size: 22px; font-weight: 620; line-height: 1.25; }
.figures span { color: var(--quiet); font-size: 12px; }
progress { display: block; width: 100%; height: 6px; margin-top: 14px; accent-color: var(--accent); }
figure { margin: 12px 0 0; } figcaption { font-size: 12px; margin-top: 4px; }
.plot { display: grid; grid-template-columns: auto 1fr; gap: 2px 8px; font-size: 12px; }
.plot svg { display: block; width: 100%; height: 110px; } .grid { fill: none; stroke: var(--line); stroke-width: 1; }
.y { display: flex; flex-direction: column; justify-content: space-between; text-align: right; line-height: 1; }
.x { grid-column: 2; display: flex; justify-content: space-between; }
.verdict { border: 1px solid; border-radius: 8px; padding: 10px 14px; margin-top: 12px; }
.verdict b { font-size: 16px; } .verdict ul { margin: 4px 0 0; padding-left: 18px; color: var(--text); }
.verdict.good { background: var(--good-soft); color: var(--good); }
.verdict.warn { background: var(--warn-soft); color: var(--warn); }
.verdict.bad { background: var(--bad-soft); color: var(--bad); }
.area { fill: var(--accent-soft); } .curve { fill: none; stroke: var(--accent); stroke-width: 1.6; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; color: var(--quiet); font-weight: 500; font-size: 12px; white-space: nowrap; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
tr:last-child td { border-bottom: 0; } .number { text-align: right; }
a { color: var(--accent); } code { font: 12px ui-monospace, monospace; }
@media (max-width: 560px) { body { padding: 0 12px 32px; } .figures { grid-template-columns: 1fr 1fr; } }
`;
