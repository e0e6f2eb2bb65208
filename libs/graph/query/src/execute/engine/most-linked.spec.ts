import { describe, expect, it } from '@jest/globals';
import { entity, NaiveReader } from '#graph/testing';
import { QueryEngine } from './query-engine.ts';

/** Enough nodes that the ends are tested for links, instead of links being followed to their ends. */
const HOSTS = 1_200;
const vocabulary = { hasClass: () => true, hasVerb: () => true };

const reader = new NaiveReader({
  entities: [
    ...Array.from({ length: HOSTS }, (_, at) => entity('user', 'User', String(at))),
    ...Array.from({ length: HOSTS }, (_, at) => entity('host', 'Host', String(at))),
  ],
  relationships: Array.from({ length: HOSTS }, (_, at) => ({
    from: { type: 'user', key: String(Math.floor(at / 3) * 2) },
    verb: 'OWNS',
    to: { type: 'host', key: String(at) },
    properties: {},
  })),
});

describe('a hop from most nodes of the graph', () => {
  it('reaches each end once, in result order', () => {
    const engine = new QueryEngine({ vocabulary });
    const pql = 'FIND user THAT OWNS host';

    const result = engine.runSync(reader, pql);
    const asWritten = engine.runSync(reader, pql, { planner: 'off' });

    expect(result.count).toBe(HOSTS / 3);
    expect([...result.entities(0, HOSTS)]).toEqual([...asWritten.entities(0, HOSTS)]);
  });
});
