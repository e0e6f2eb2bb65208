import { describe, expect, it } from '@jest/globals';
import { entity, NaiveReader, relationship } from '#graph/testing';
import { QueryEngine } from './query-engine.ts';

const vocabulary = { hasClass: () => true, hasVerb: () => true };

/** A user in the first of nested groups, each a member of the next. */
function nestedGroups(count: number): NaiveReader {
  const groups = Array.from({ length: count }, (_, at) => entity('group', 'Group', `g${String(at + 1)}`));
  const entities = [entity('user', 'User', 'u1'), ...groups];
  const relationships = groups.flatMap((group, at) => {
    const member = entities[at];
    return member === undefined ? [] : [relationship(member, 'MEMBER_OF', group)];
  });
  return new NaiveReader({ entities, relationships });
}

function ringOf(size: number): NaiveReader {
  const entities = Array.from({ length: size }, (_, at) => entity('host', 'Host', String(at)));
  const relationships = entities.flatMap((from, at) => {
    const to = entities[(at + 1) % size];
    return to === undefined ? [] : [relationship(from, 'USES', to)];
  });
  return new NaiveReader({ entities, relationships });
}

describe('a repeated hop with an open end', () => {
  it.each([
    ["FIND user THAT MEMBER_OF{1..} >> group WITH _key = 'g12'", 1],
    ["FIND user THAT MEMBER_OF{1..50} >> group WITH _key = 'g14'", 1],
    ["FIND user THAT MEMBER_OF{0..} >> group WITH _key = 'g14'", 1],
    ["FIND user THAT MEMBER_OF{13..} >> group WITH _key = 'g13'", 1],
    ["FIND user THAT MEMBER_OF{14..} >> group WITH _key = 'g13'", 0],
    ["FIND user THAT !MEMBER_OF{1..} >> group WITH _key = 'g14'", 0],
    ["FIND user (THAT MEMBER_OF{2..} >> group WITH _key = 'g14')!", 0],
    ["FIND group WITH _key = 'g14' THAT MEMBER_OF{1..} << user", 1],
    ['FIND user AS u THAT MEMBER_OF{1..} >> group AS g RETURN COUNT', 14],
    ['FIND user AS u THAT MEMBER_OF{2..} >> group AS g RETURN COUNT', 13],
    ["FIND user AS u (THAT MEMBER_OF{1..} >> group AS g WITH _key = 'g14')? WHERE g IS NULL RETURN u", 0],
    ['FIND user AS u THAT MEMBER_OF AS r group THAT MEMBER_OF{11..} >> group AS g RETURN COUNT', 3],
  ])('follows nested groups to the last in %s', (pql, count) => {
    const result = new QueryEngine({ vocabulary }).runSync(nestedGroups(14), pql);

    expect(result.count).toBe(count);
    expect(result.warnings).toEqual([]);
  });

  it('follows an open end for thousands of relationships, around cycles too', () => {
    // A busy machine may take long, which is no fault of the search.
    const options = { timeoutMs: Infinity };
    const ring = (pql: string) => new QueryEngine({ vocabulary }).runSync(ringOf(2_000), pql, options).count;

    expect(ring("FIND host WITH _key = '0' AS a THAT USES{1..} >> host AS b RETURN COUNT")).toBe(2_000);
    expect(ring("FIND host WITH _key = '0' AS a THAT USES{3..} >> host AS b RETURN COUNT")).toBe(1_998);
    expect(ring('FIND host THAT USES{100..} host')).toBe(2_000);
  });
});
