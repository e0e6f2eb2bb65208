import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { entityId } from '#graph/model';
import {
  arbitraryGraph,
  arbitraryQuestions,
  type GraphData,
  putEntity,
  putRelationship,
  replyWithWarnings,
  STAMP,
  TEST_OPTIONS,
} from '#graph/testing';
import { effort } from '#testing';
import { MemoryGraph } from './memory-graph.ts';

const RETENTION_MS = 3;

/** A graph that becomes one state after another, each with its own sequence number and millisecond. */
class History {
  seq = 0;
  readonly graph = MemoryGraph.create({
    ...TEST_OPTIONS,
    retentionMs: RETENTION_MS,
    nowMs: () => STAMP.syncedAtMs + this.seq,
  });

  become({ entities, relationships }: GraphData): void {
    const seq = ++this.seq;
    this.#delete(new Set(entities.map(({ type, key }) => entityId(type, key))));
    for (const item of entities) putEntity(this.graph, seq, item);
    for (const item of relationships) putRelationship(this.graph, seq, item);
    this.graph.publish(seq);
  }

  /** Whatever is not kept; all relationships, which the next state reports anew. */
  #delete(kept: ReadonlySet<string>): void {
    const stamp = { ...STAMP, deletedAtMs: STAMP.syncedAtMs + this.seq };
    for (const node of this.graph.ownedEntities('test')) {
      for (const link of this.graph.linksOf(node)) this.graph.deleteRelationship(this.seq, link, stamp);
      const { type, key } = this.graph.entityState(node);
      if (!kept.has(entityId(type, key))) this.graph.deleteEntity(this.seq, node, stamp);
    }
  }
}

describe('a seal', () => {
  it('changes neither answers nor warnings, with deleted records or without', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(arbitraryGraph, fc.boolean()), { minLength: 1, maxLength: 6 }),
        arbitraryQuestions,
        async (states, questions) => {
          const [sealed, unsealed] = [new History(), new History()];
          for (const [state, isSealed] of states) {
            for (const each of [sealed, unsealed]) each.become(state);
            if (isSealed) await sealed.graph.seal();
            for (const includeDeleted of [false, true]) {
              const [one, other] = [sealed, unsealed].map(({ graph }) => graph.snapshot({ includeDeleted }));
              for (const pql of questions)
                expect(replyWithWarnings(one!, pql)).toBe(replyWithWarnings(other!, pql));
            }
          }
        },
      ),
      { numRuns: effort(300, 60) },
    ));
});
