import type { AdminEndpoint } from '../endpoint/admin-endpoint.ts';
import { answer, type Answer, CONTENT_TYPE } from './answer.ts';
import { prefersJson } from './accept.ts';

/** What is refused, and to whom. */
export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  readonly accept: string | undefined;
}

/** 404: says what there is instead. */
export function notFoundAnswer(request: RefusedRequest, endpoints: readonly AdminEndpoint[]): Answer {
  return listAnswer({ status: 404, error: 'Not Found', subject: request.path }, request, endpoints);
}

/** 405: says which methods the path has, and what there is else. */
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
