import { ApiError } from '../../kit/session/api-error.ts';
import { keyedFetch } from '../../kit/session/keyed-fetch.ts';
import { session } from '../../kit/session/session.svelte.ts';
import type { QueriesReplyDto } from '../api/generated/types.gen.ts';

const PATH = '/v1/queries';
const YAML = 'application/yaml';
const ask = keyedFetch(session);

/** The saved queries as a file; fetched instead of linked, because a link sends no key. */
export async function exportQueries(): Promise<Blob> {
  const reply = await ask(`${PATH}?format=yaml`);
  if (!reply.ok) throw await errorOf(reply);
  return new Blob([await reply.text()], { type: YAML });
}

/** Adds and changes the queries of a file, all or none. */
export async function importQueries(text: string): Promise<QueriesReplyDto> {
  const reply = await ask(PATH, { method: 'POST', headers: { 'Content-Type': YAML }, body: text });
  if (!reply.ok) throw await errorOf(reply);
  return (await reply.json()) as QueriesReplyDto;
}

async function errorOf(reply: Response): Promise<ApiError> {
  const body: unknown = await reply.json().catch(() => undefined);
  return ApiError.from(body, reply.status);
}

/** Offers a file for download. */
export function saveAs(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
