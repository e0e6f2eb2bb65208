import type { Dataset } from '../data/dataset.ts';
import type { Questions } from '../data/questions.ts';
import { entityRows, linkRows } from '../data/rows.ts';
import { openTarget, type TargetName } from '../targets/registry.ts';

const BATCH_ROWS = 1_000;

interface NewStore {
  /** An empty directory. */
  readonly directory: string;
  readonly questions: Questions;
  readonly data: Dataset;
}

/** Fills a new store with all the data and closes it. */
export async function loadTarget(name: TargetName, { directory, questions, data }: NewStore): Promise<void> {
  const target = await openTarget(name, { directory, questions, isNew: true });
  for (let start = 0; start < data.entityCount; start += BATCH_ROWS) {
    await target.addEntities(entityRows(data, start, Math.min(start + BATCH_ROWS, data.entityCount)));
  }
  for (let start = 0; start < data.links.count; start += BATCH_ROWS) {
    await target.addRelationships(linkRows(data, start, Math.min(start + BATCH_ROWS, data.links.count)));
  }
  await target.settle();
  await target.close();
}
