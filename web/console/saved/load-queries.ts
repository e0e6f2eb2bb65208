import { dataOf } from '../../kit/session/api-error.ts';
import { listSavedQueries } from '../api/generated/sdk.gen.ts';
import type { SavedQueryDto } from '../api/generated/types.gen.ts';

/** All saved queries, by name. */
export async function loadQueries(): Promise<readonly SavedQueryDto[]> {
  const { queries } = await dataOf(listSavedQueries());
  return queries;
}
