import { hash } from 'node:crypto';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';

/** The edges and the running load, live: nothing is fetched but this server's own JSON. */
export const LIVE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Plexus hive</title>
<link rel="icon" href="data:,">
<style>${PAGE_STYLE}</style>
</head>
<body>
<header><h1>Plexus hive</h1><a href="/docs">interface</a><span id="link" class="quiet" role="status">connecting</span></header>
<main>
  <section id="run" class="panel" aria-label="The newest run"></section>
  <section aria-label="Edges"><h2>Edges</h2><div id="edges" class="panel"></div></section>
  <section aria-label="Runs"><h2>Runs</h2><div id="runs" class="panel"></div></section>
</main>
<noscript><p class="quiet">This page needs JavaScript; /edges and /runs have the same as JSON.</p></noscript>
<script type="module">${PAGE_SCRIPT}</script>
</body>
</html>
`;

/** Runs the page's own style and script, by their hashes, and no other; lets it ask this server only. */
export const LIVE_PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${sourceOf(PAGE_STYLE)}`,
  `script-src ${sourceOf(PAGE_SCRIPT)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function sourceOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
