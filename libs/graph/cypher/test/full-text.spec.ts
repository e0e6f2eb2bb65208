/** Full text: indexes that are only names, and searches of the texts they name. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Value } from '../src/index.ts';
import { MemoryStore } from './memory-store.ts';

const NEVER = { aborted: false };
const WRITE = { access: 'write' } as const;

describe('a search of full text', () => {
  let store: MemoryStore;

  const run = (text: string, query?: string) => {
    const parameters = new Map<string, Value>(query === undefined ? [] : [['query', query]]);
    return store.transactions.run({ text, parameters }, WRITE, NEVER);
  };
  const found = async (query: string, options = '{}', index = 'words'): Promise<readonly Value[]> => {
    const call = `CALL db.index.fulltext.queryNodes('${index}', $query, ${options}) YIELD node, score RETURN node.i, score`;
    return (await (await run(call, query)).take(Infinity)).map(([i = null]) => i);
  };

  beforeAll(async () => {
    store = await MemoryStore.open();
    await run('CREATE FULLTEXT INDEX words FOR (n:Book|Film) ON EACH [n.title, n.tags]');
    await run('CREATE FULLTEXT INDEX links FOR ()-[r:SAYS]-() ON EACH [r.text]');
    await run(`CREATE (:Book {i: 1, title: 'The Quick Brown Fox'}), (:Film {i: 2, title: 'Quick, quick!'}),
      (:Book:Film {i: 3, title: 'A slow fox', tags: ['animal', 'Brown bear']}), (:Other {i: 4, title: 'quick'}),
      (a:Book {i: 5, title: 'Über alles'})-[:SAYS {text: 'hello world'}]->(:Book {i: 6, title: 7})`);
  });
  afterAll(() => store.close());

  it.each([
    ['quick', [2n, 1n]],
    ['QUICK fox', [2n, 1n, 3n]],
    ['quick AND fox', [1n]],
    ['quick && fox', [1n]],
    ['quick OR bear', [2n, 3n, 1n]],
    ['fox NOT slow', [1n]],
    ['fox -slow', [1n]],
    ['+fox quick', [1n, 3n]],
    ['"quick brown"', [1n]],
    ['"brown quick"', []],
    ['"brown bear"', [3n]],
    ['qui*', [2n, 1n]],
    ['tags:brown', [3n]],
    ['title:brown', [1n]],
    ['über', [5n]],
    ['nothing', []],
    ['', []],
    ['  ', []],
    ['-fox', []],
  ])('finds for %s the nodes %p', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it('takes skip and limit', async () => {
    expect(await found('quick fox', '{skip: 1, limit: 1}')).toEqual([1n]);
  });

  it('finds relationships, and what the transaction has written', async () => {
    const transaction = await store.transactions.begin(WRITE, NEVER);
    const rows = async (text: string) =>
      (await transaction.run({ text, parameters: new Map() }, NEVER)).take(Infinity);
    await rows(`MATCH (a {i: 5}), (b {i: 6}) CREATE (a)-[:SAYS {text: 'hello'}]->(b)`);

    expect(
      await rows(`CALL db.index.fulltext.queryRelationships('links', 'hello') YIELD relationship, score
        RETURN relationship.text, score > 0`),
    ).toEqual([
      ['hello', true],
      ['hello world', true],
    ]);
    transaction.rollback();
  });

  it.each([
    ['word', 'quick', 'there is no full text index `word` of nodes: did you mean words?'],
    ['links', 'quick', 'there is no full text index `links` of nodes'],
    ['words', 'quick~2', '`~2` is not understood'],
    ['words', '/qu.*/', 'is not understood'],
    ['words', '(quick', 'is not understood'],
    ['words', 'q*ck', 'is not understood'],
    ['words', '"quick', 'is not understood'],
  ])('is refused over %s for %s', async (index, query, message) => {
    await expect(found(query, '{}', index)).rejects.toMatchObject({
      code: 'CYPHER_FAILED',
      message: expect.stringContaining(message),
    });
  });

  it('reads a long query in linear time', async () => {
    await expect(found('a '.repeat(100_000))).rejects.toMatchObject({
      message: expect.stringContaining('more than 1000 words'),
    });
    expect(await found('"'.repeat(100_000))).toEqual([]);
  });
});
