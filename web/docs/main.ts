/**
 * The page at /docs. It does not contain the document: it fetches /docs-json with the key from its input, so
 * that the page may be public while the document is not. The key stays in the page's memory.
 */
import './docs.css';

interface SwaggerRequest {
  readonly headers: Readonly<Record<string, string>>;
}

/** Defined by Swagger UI's own script, which the page loads before this one. */
declare function SwaggerUIBundle(options: {
  readonly spec: unknown;
  readonly dom_id: string;
  readonly requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
}): void;

const keyBox = find('key') as HTMLInputElement;
const state = find('state');

function find(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`expected the page to have #${id}`);
  return element;
}

/** The key, or the header with which requests by the page's session change something. */
function withKey(headers: Readonly<Record<string, string>>): Record<string, string> {
  const own = { ...headers, 'X-Plexus-Page': '1' };
  return keyBox.value === '' ? own : { ...own, Authorization: `Bearer ${keyBox.value}` };
}

async function load(): Promise<void> {
  const reply = await fetch('/docs-json', { headers: withKey({}) });
  state.textContent = reply.ok ? '' : 'the key is missing or wrong';
  if (!reply.ok) return;
  SwaggerUIBundle({
    spec: await reply.json(),
    dom_id: '#ui',
    requestInterceptor: (request) => ({ ...request, headers: withKey(request.headers) }),
  });
}

find('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void load();
});
void load();
