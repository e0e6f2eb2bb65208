/** The page at `/`: the edges and the running load, live. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Plexus hive</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
</head>
<body>
<header>
  <h1>Plexus hive</h1>
  <a href="/docs">interface</a>
  <input id="key" type="password" placeholder="API key" aria-label="API key" autocomplete="off" hidden>
  <span id="link" class="quiet" role="status">connecting</span>
</header>
<main>
  <section id="run" class="panel" aria-label="The newest run"></section>
  <section aria-label="Edges"><h2>Edges</h2><div id="edges" class="panel"></div></section>
  <section aria-label="Runs"><h2>Runs</h2><div id="runs" class="panel"></div></section>
</main>
<noscript><p class="quiet">This page needs JavaScript; /edges and /runs have the same as JSON.</p></noscript>
<script src="/page.js" type="module"></script>
</body>
</html>
`;
