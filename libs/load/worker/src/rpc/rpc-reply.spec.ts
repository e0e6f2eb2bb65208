import { describe, expect, it } from '@jest/globals';
import { readReplies, readReply } from './rpc-reply.ts';

const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const answer = (result: string): Uint8Array => Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
const GARBAGE = { isFine: false, failure: 'rpc_garbage' };

describe('an answer', () => {
  it.each([
    ['lists', lists(5_000)],
    ['objects', '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000)],
    ['lists without an end', '['.repeat(500_000)],
    ['lists after a text', `["\\"","\\\\",${lists(2_000)}]`],
  ])('that is nested too deeply, of %s, is garbage', (_name, result) => {
    expect(readReply(200, answer(result), 1)).toMatchObject(GARBAGE);
    expect(readReplies(200, Buffer.from(`[${Buffer.from(answer(result)).toString()}]`), [1])).toMatchObject(
      GARBAGE,
    );
  });

  it.each([
    ['many levels', JSON.parse(lists(1_000)) as unknown],
    ['many lists beside each other', Array.from({ length: 5_000 }, () => [{}])],
    [
      'brackets, quotes and backslashes in texts',
      ['['.repeat(3_000), '\\', `"${'{'.repeat(3_000)}\\"`, '\\\\"['],
    ],
  ])('with %s is read', (_name, result) => {
    expect(readReply(200, answer(JSON.stringify(result)), 1)).toEqual({ isFine: true, result });
  });
});
