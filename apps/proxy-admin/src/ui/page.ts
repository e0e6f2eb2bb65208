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
