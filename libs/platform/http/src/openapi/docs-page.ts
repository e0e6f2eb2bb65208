/**
 * The page at /docs. It holds no document: it asks for /docs-json with the key from its box, so that the page
 * may be open while the document is not. The key stays in the page's memory.
 */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Plexus API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>
  body { margin: 0; font-family: sans-serif; }
  form { display: flex; gap: .5rem; padding: .75rem 1rem; background: #1b1b1b; color: #fff; align-items: center; }
  input { flex: 0 1 24rem; padding: .4rem; }
</style>
</head>
<body>
<form id="key-form">
  <strong>Plexus API</strong>
  <label for="key">API key</label>
  <input id="key" type="password" autocomplete="off" placeholder="empty in open mode">
  <button>Load</button>
  <span id="state" role="status"></span>
</form>
<div id="ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
</body>
</html>
`;

export const DOCS_SCRIPT = `'use strict';
const keyBox = document.getElementById('key');
const state = document.getElementById('state');
const withKey = (headers) => (keyBox.value ? { ...headers, Authorization: 'Bearer ' + keyBox.value } : headers);
async function load(event) {
  event?.preventDefault();
  const reply = await fetch('/docs-json', { headers: withKey({}) });
  state.textContent = reply.ok ? '' : 'the key is missing or wrong';
  if (!reply.ok) return;
  SwaggerUIBundle({
    spec: await reply.json(),
    dom_id: '#ui',
    requestInterceptor: (request) => ({ ...request, headers: withKey(request.headers) }),
  });
}
document.getElementById('key-form').addEventListener('submit', load);
load();
`;
