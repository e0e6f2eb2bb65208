import { html, Markup } from './markup.ts';

/** The page style: one column, light or dark by the browser's preference, black on white in print. */
const STYLE = `
:root { color-scheme: light dark; --ink: #16202b; --soft: #5b6875; --line: #dfe4ea; --page: #f6f7f9; --card: #fff;
  --good: #14804a; --bad: #c0271d; --unsure: #9a6200; --good-wash: #e7f5ed; --bad-wash: #fdecea; --unsure-wash: #fcf3e0;
  --accent: #2563c9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf1; --soft: #93a0ae; --line: #2c3642; --page: #11161c;
  --card: #19202a; --good: #4cc38a; --bad: #ff8277; --unsure: #e6b04d; --good-wash: #14301f; --bad-wash: #3a1b19;
  --unsure-wash: #34280f; --accent: #7aa9ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
  font-variant-numeric: tabular-nums; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 60px; }
header { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: baseline; margin-bottom: 16px; }
h1 { font-size: 24px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 36px 0 10px; }
p { margin: 6px 0; }
.soft { color: var(--soft); }
.small { font-size: 13px; } .about { min-width: 270px; }
.answer { border-radius: 12px; padding: 16px 20px; border: 1px solid; }
.answer strong { display: block; font-size: 21px; line-height: 1.3; }
.good { color: var(--good); } .bad { color: var(--bad); } .unsure { color: var(--unsure); }
.answer.good { background: var(--good-wash); border-color: var(--good); }
.answer.bad { background: var(--bad-wash); border-color: var(--bad); }
.answer.unsure { background: var(--unsure-wash); border-color: var(--unsure); }
.answer p, .answer li { color: var(--ink); overflow-wrap: anywhere; }
.answer ul { margin: 8px 0 0; padding-left: 20px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(128px, 1fr)); gap: 12px; margin-top: 12px; }
.tile, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; }
.tile b { display: block; font-size: 21px; font-weight: 600; line-height: 1.25; white-space: nowrap; }
.tile span { color: var(--soft); font-size: 13px; }
.card { margin-top: 12px; overflow-x: auto; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 12px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; color: var(--soft); font-weight: 500; white-space: nowrap; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td b { white-space: nowrap; } tr:last-child td { border-bottom: 0; }
.number { text-align: right; white-space: nowrap; }
code, pre { font: 12.5px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; margin: 6px 0 0; }
details { margin-top: 8px; } summary { cursor: pointer; }
figure { margin: 0; } figcaption { color: var(--soft); font-size: 13px; margin-bottom: 4px; }
svg { max-width: 100%; height: auto; display: block; }
.badge { display: inline-block; border-radius: 99px; padding: 1px 10px; font-size: 13px; font-weight: 600;
  white-space: nowrap; }
.badge.good { background: var(--good-wash); } .badge.bad { background: var(--bad-wash); }
.badge.unsure { background: var(--unsure-wash); }
footer { margin-top: 40px; color: var(--soft); font-size: 13px; }
@media (max-width: 560px) { main { padding: 18px 12px 40px; } h1 { font-size: 20px; }
  .tiles { grid-template-columns: 1fr 1fr; } .tile b { font-size: 19px; } th, td { padding-right: 10px; }
  td:first-child { min-width: 132px; } .about { min-width: 150px; } td code { display: block; min-width: 220px; } }
@media print { @page { size: A4; margin: 14mm; }
  :root { --ink: #000; --soft: #444; --line: #ccc; --page: #fff; --card: #fff; --good: #14804a; --bad: #b3231a;
    --unsure: #7c5000; --good-wash: #eef8f2; --bad-wash: #fdf0ef; --unsure-wash: #fdf6e8; --accent: #1d4fa3; }
  main { padding: 0; max-width: none; } .card, .tile, .answer, figure, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; } .card { overflow: visible; } .tiles { grid-template-columns: repeat(7, 1fr); }
  table { font-size: 10.5px; } table .small { font-size: 10px; } th, td { padding-right: 7px; } td .badge { font-size: 10.5px; padding: 1px 6px; }
  .tile { padding: 8px 10px; } .tile b { font-size: 17px; } .tile span { font-size: 11px; } .pair { grid-template-columns: 1fr 1fr; } svg { max-height: 60mm; } }
`;

/** A complete document without network requests and scripts. */
export function page(title: string, content: Markup): string {
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <title>${title}</title>
        ${new Markup(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html> `.text;
}
