import { ApiError, dataOf } from '../../kit/session/api-error.ts';
import { timeText } from '../../kit/parts/format-value.ts';
import { getEntity, query } from '../api/generated/sdk.gen.ts';
import type { EntityDto, EntityWithSourcesDto } from '../api/generated/types.gen.ts';

/** What the details show. */
export interface OpenedRecord {
  readonly kind: 'entity' | 'relationship';
  readonly id: string;
}

/** An entity as it is, with its sources, or as it was at a moment. Throws NOT_FOUND. */
export async function readEntity(
  id: string,
  asOf: string | undefined,
): Promise<EntityDto | EntityWithSourcesDto> {
  if (asOf === undefined) return dataOf(getEntity({ path: { id }, query: { sources: 'true' } }));
  const body = { pql: 'FIND * WITH _id = $id', params: { id }, as_of: asOf };
  const reply = await dataOf(query({ body }));
  const found = typeof reply === 'string' ? undefined : reply.entities[0];
  if (found !== undefined) return found;
  throw new ApiError('NOT_FOUND', `it was not there at ${timeText(asOf)}`);
}
