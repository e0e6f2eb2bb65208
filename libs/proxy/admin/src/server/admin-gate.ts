/**
 * Runs before the framework: requests outside the table of endpoints are answered here and never reach a
 * router that decodes, folds or trims paths. The framework receives only known paths with one of their
 * methods.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { answer, type Answer, CONTENT_TYPE } from '../answer/answer.ts';
import { refusedAnswer } from '../answer/refusal.ts';
import { type EndpointTable } from '../endpoint/endpoint-table.ts';

/** A request target: `path` as sent, `rest` including the query. */
interface RequestTarget {
  readonly path: string;
  readonly rest: string;
}

/** A handler that answers requests outside the table itself. */
export function admitKnown(table: EndpointTable, handler: RequestListener): RequestListener {
  return (request, response) => {
    if (hasTwoHosts(request)) {
      response.shouldKeepAlive = false;
      write(response, answer(400, CONTENT_TYPE.text, 'Bad Request: two Host headers\n'));
      return;
    }
    const { path, rest } = requestTargetOf(request.url ?? '');
    const method = request.method ?? '';
    const match = table.match(method, path);
    const refused = { method, path, accept: request.headers.accept };
    if (match.kind !== 'known') write(response, refusedAnswer(refused, table));
    else {
      request.url = path + rest;
      handler(request, response);
    }
  };
}

/** Node keeps the first and drops the others. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host').length > 1;
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'Content-Length': bytes.length }).end(bytes);
}

/** The path of a request target. The absolute form, sent by proxies, is equivalent (RFC 9112 §3.2.2). */
function requestTargetOf(url: string): RequestTarget {
  const local = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const target = local === url || /^[/?]/.test(local) ? local : `/${local}`;
  const end = target.indexOf('?');
  return end === -1 ? { path: target, rest: '' } : { path: target.slice(0, end), rest: target.slice(end) };
}
