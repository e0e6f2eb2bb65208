import { hash } from 'node:crypto';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';

/** The whole page: nothing else is fetched but the stream of events. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Plexus proxy</title>
<link rel="icon" href="data:,">
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
  <h1>Plexus proxy</h1>
  <span id="state" class="pill" role="status">connecting</span>
  <span id="uptime" class="quiet"></span>
  <span id="link" class="quiet" role="status"></span>
</header>
<main>
  <section id="figures" aria-label="Figures"></section>
  <section id="listeners" aria-label="Listeners"><h2>Listeners</h2><div class="rows"></div></section>
  <section id="clusters" aria-label="Clusters"><h2>Clusters</h2><div class="cards"></div></section>
  <section id="events" aria-label="Events">
    <h2>Events</h2>
    <p class="quiet none">Nothing has happened since this page was opened.</p>
    <ol></ol>
  </section>
</main>
<noscript><p class="quiet">This page needs JavaScript; /admin/v1/clusters has the same as JSON.</p></noscript>
<script type="module">${PAGE_SCRIPT}</script>
</body>
</html>
`;

/** Runs the page's own style and script, by their hashes, and no other; lets it ask this server only. */
export const PAGE_POLICY = [
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
