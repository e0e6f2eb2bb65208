import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '#platform/auth';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';

/** The page at `/`: the edges and the running load, live. */
const PAGE = `<!doctype html>
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

/** A report that is shown from memory has the policy of the page that opened it: its styles stand in it. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; object-src 'none'; " +
  "base-uri 'none'; frame-ancestors 'none'";

/** The live page. It holds no data: what it shows it asks for with the key from its box. */
@ApiExcludeController()
@Controller()
export class PageController {
  @Get()
  @Public('docs')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', PAGE_POLICY)
  page(): string {
    return PAGE;
  }

  @Get('page.js')
  @Public('docs')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  script(): string {
    return PAGE_SCRIPT;
  }

  @Get('page.css')
  @Public('docs')
  @Header('Content-Type', 'text/css; charset=utf-8')
  style(): string {
    return PAGE_STYLE;
  }
}
