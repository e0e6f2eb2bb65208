import type { AdminEndpoint } from '../endpoint/admin-endpoint.ts';
import type { EndpointTable } from '../endpoint/endpoint-table.ts';
import { answer, type Answer, CONTENT_TYPE } from './answer.ts';

/** A rejected request, with the headers that select the format of the response. */
export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  readonly accept: string | undefined;
}

/** 404 or 405 for a request that no endpoint takes. */
export function refusedAnswer(request: RefusedRequest, table: EndpointTable): Answer {
  const match = table.match(request.method, request.path);
  return match.kind === 'wrong_method'
    ? methodNotAllowedAnswer(request, match.allowed, table.endpoints)
    : notFoundAnswer(request, table.endpoints);
}

/** 404 with the list of endpoints. */
export function notFoundAnswer(request: RefusedRequest, endpoints: readonly AdminEndpoint[]): Answer {
  return listAnswer({ status: 404, error: 'Not Found', subject: request.path }, request, endpoints);
}

/** 405 with the methods of the path and the list of endpoints. */
export function methodNotAllowedAnswer(
  request: RefusedRequest,
  allowed: readonly string[],
  endpoints: readonly AdminEndpoint[],
): Answer {
  const subject = `${request.method} ${request.path}`;
  const refusal = listAnswer({ status: 405, error: 'Method Not Allowed', subject }, request, endpoints);
  return { ...refusal, headers: { ...refusal.headers, Allow: allowed.join(', ') } };
}

function listAnswer(
  { status, error, subject }: { status: number; error: string; subject: string },
  { path, accept }: RefusedRequest,
  endpoints: readonly AdminEndpoint[],
): Answer {
  if (prefersJson(accept)) {
    const list = endpoints.map(({ method, path, description }) => ({ method, path, description }));
    return answer(status, CONTENT_TYPE.json, JSON.stringify({ error, path, endpoints: list }));
  }
  const lines = endpoints.map(({ method, path, description }) => `${method} ${path} - ${description}\n`);
  return answer(status, CONTENT_TYPE.text, `${error}: ${subject}\n${lines.join('')}`);
}

/**
 * Whether an Accept header prefers JSON to plain text. The most specific matching range determines a type's
 * quality, as in RFC 9110 §12.5.1; text wins a tie, and is the default.
 */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = accept.split(',').map(rangeOf);
  return qualityOf('application', 'json', ranges) > qualityOf('text', 'plain', ranges);
}

interface MediaRange {
  readonly type: string;
  readonly quality: number;
}

const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** A range with other parameters, such as a version, counts as one without. */
function rangeOf(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  for (const parameter of parameters) {
    if (!parameter.startsWith('q=')) continue;
    return { type, quality: Number(QUALITY.exec(parameter)?.[1] ?? 0) };
  }
  return { type, quality: 1 };
}

function qualityOf(type: string, subtype: string, ranges: readonly MediaRange[]): number {
  for (const wanted of [`${type}/${subtype}`, `${type}/*`, '*/*']) {
    const fitting = ranges.filter((range) => range.type === wanted);
    if (fitting.length > 0) return Math.max(...fitting.map(({ quality }) => quality));
  }
  return 0;
}
