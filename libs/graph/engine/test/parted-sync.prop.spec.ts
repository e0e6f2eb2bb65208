import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EntityStatement } from '#graph/model';
import { arbitraryShrinkingSync, arbitrarySync } from '#graph/testing';
import { DomainError } from '#platform/foundation';
import { effort } from '#testing';
import type { SyncReply, SyncRequest } from '../src/index.ts';
import { GraphHarness } from './graph-harness.ts';

const RUNS = effort(60, 15);
const STEPS_MAX = 8;

const steps = fc.array(fc.oneof(arbitrarySync, arbitraryShrinkingSync), { maxLength: STEPS_MAX });

/** The counts and the code of a rejection; the text of warnings depends on the order of the records. */
async function outcomeOf(sync: () => Promise<SyncReply>): Promise<object> {
  try {
    const { warnings, ...counts } = await sync();
    return { ...counts, warnings: warnings.map(({ code }) => code).sort() };
  } catch (error) {
    if (error instanceof DomainError) return { code: error.code };
    throw error;
  }
}

/** Live records, without what tells one batch from several. */
function contentOf(harness: GraphHarness): unknown {
  const { entities, relationships } = harness.records();
  return [...entities, ...relationships].filter(({ deleted_at: deletedAt }) => deletedAt === null);
}

function partsOf({ entities, relationships }: SyncRequest, size: number) {
  return function* () {
    for (let at = 0; at < entities.length; at += size)
      yield { entities: entities.slice(at, at + size), relationships: [] };
    for (let at = 0; at < relationships.length; at += size)
      yield { entities: [], relationships: relationships.slice(at, at + size) };
  };
}

/** Each record once, as the parts of a sync require. */
function distinct(request: SyncRequest): SyncRequest {
  const entities = new Map(request.entities.map((each) => [`${each.type} ${each.key}`, each]));
  const identity = ({ from, verb, to, key }: SyncRequest['relationships'][number]): string =>
    JSON.stringify([from.type, from.key, verb.toUpperCase(), to.type, to.key, key]);
  const relationships = new Map(request.relationships.map((each) => [identity(each), each]));
  return { ...request, entities: [...entities.values()], relationships: [...relationships.values()] };
}

describe('a sync in parts', () => {
  it('counts a relationship once that another source states and that goes with its end', async () => {
    const [ann, web] = [
      { type: 'user', key: 'ann' },
      { type: 'host', key: 'web' },
    ];
    const scope = { syncId: '1', mode: 'diff' as const, force: true };
    const [gone, stays] = [ann, web].map((end) => ({ ...end, properties: {} })) as [
      EntityStatement,
      EntityStatement,
    ];
    const graph = (await GraphHarness.opened()).graph;
    const uses = { from: ann, verb: 'USES', to: web };
    await graph.sync({
      ...scope,
      connectorId: 'scan',
      entities: [gone, stays],
      relationships: [{ ...uses, properties: { port: 1 } }],
    });
    await graph.sync({
      ...scope,
      connectorId: 'cloud',
      entities: [],
      relationships: [{ ...uses, properties: {} }],
    });
    const parts = () => [{ entities: [stays], relationships: [] }];
    const counts = await graph.syncInParts({ ...scope, connectorId: 'scan', syncId: '2', parts });

    expect(counts).toMatchObject({
      entities_deleted: 1,
      relationships_deleted: 1,
      relationships_updated: 0,
    });
    await graph.close();
  });

  it('has the result of one batch, the counts and the rejections', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (requests, size) => {
        const whole = await GraphHarness.opened();
        const parted = await GraphHarness.opened();
        for (const [index, given] of requests.entries()) {
          const request = { ...distinct(given), mode: 'diff' as const, syncId: String(index) };
          const { entities, relationships, ...scope } = request;
          const parts = partsOf({ ...scope, entities, relationships }, size);
          const expected = await outcomeOf(() => whole.graph.sync(request, { onDangling: 'skip' }));

          expect(await outcomeOf(() => parted.graph.syncInParts({ ...scope, parts }))).toEqual(expected);
        }
        expect(contentOf(parted)).toEqual(contentOf(whole));
        await parted.reopen();
        expect(contentOf(parted)).toEqual(contentOf(whole));
        await Promise.all([whole.close(), parted.close()]);
      }),
      { numRuns: RUNS },
    );
  });
});
