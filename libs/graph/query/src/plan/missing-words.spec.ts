import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { arbitraryFind, arbitraryGraph, findText, FIXTURE, NaiveReader } from '#graph/testing';
import { QueryEngine } from '../execute/engine/query-engine.ts';

const engine = new QueryEngine({ vocabulary: { hasClass: () => true, hasVerb: () => true } });
const reader = new NaiveReader(FIXTURE);

/** The words as spelt in the text. */
function missingIn(pql: string, mayBeAbsent: readonly string[] = []): readonly string[] {
  const words = engine.missingWords(reader, pql, mayBeAbsent);
  return words.map(({ code, position = -1 }) => {
    const [word] = /^\w*/.exec(pql.slice(position)) ?? [];
    return `${code} ${word ?? ''}`;
  });
}

describe('missing words', () => {
  it.each([
    ['FIND host', []],
    ['FIND nobody', ['UNKNOWN_CLASS nobody']],
    ['FIND (nobody|noone)', ['UNKNOWN_CLASS nobody', 'UNKNOWN_CLASS noone']],
    ['FIND (nobody|host)', []],
    ['FIND host THAT EATS service', ['UNKNOWN_VERB EATS']],
    ['FIND host THAT (EATS|runs) service', []],
    ['FIND host THAT EATS{0..2} host', []],
    ['FIND host THAT EATS{1..2} host', ['UNKNOWN_VERB EATS']],
    ['FIND host THAT !EATS nobody', []],
    ['FIND host (THAT EATS nobody)?', []],
    ['FIND host (THAT RUNS nobody)', ['UNKNOWN_CLASS nobody']],
    ['FIND nobody THAT EATS noone', ['UNKNOWN_CLASS nobody', 'UNKNOWN_VERB EATS', 'UNKNOWN_CLASS noone']],
    ['FIND host WITH onwer EXISTS', ['UNKNOWN_PROPERTY onwer']],
    ['FIND host WITH _onwer IS NULL', []],
    ['FIND host WITH _key EXISTS', []],
    ["FIND host WITH onwer != 'a'", []],
    ["FIND host WITH onwer = 'a'", ['UNKNOWN_PROPERTY onwer']],
    ["FIND host WITH onwer NOT IN ('a')", []],
    ["FIND host WITH NOT onwer = 'a'", []],
    ["FIND host WITH onwer = 'a' OR os = 'linux'", []],
    ["FIND host WITH onwer = 'a' OR so = 'b'", ['UNKNOWN_PROPERTY onwer', 'UNKNOWN_PROPERTY so']],
    ["FIND host WITH onwer = 'a' AND os = 'linux'", ['UNKNOWN_PROPERTY onwer']],
    ["FIND nobody WITH onwer = 'a'", ['UNKNOWN_CLASS nobody']],
    ["FIND * WITH onwer = 'a'", ['UNKNOWN_PROPERTY onwer']],
    ["FIND host AS h WHERE h.onwer = 'a'", ['UNKNOWN_PROPERTY h']],
    ["FIND nobody AS h WHERE h.onwer = 'a' AND h.os = 'b'", ['UNKNOWN_CLASS nobody']],
    ['FIND host AS a THAT RUNS service AS b WHERE (a THAT EATS b)', ['UNKNOWN_VERB EATS']],
    ['FIND host AS a THAT RUNS service AS b WHERE NOT (a THAT EATS b)', []],
    [
      'FIND host AS a (THAT EATS AS r nobody AS b)? WHERE r.port = 1',
      ['UNKNOWN_VERB EATS', 'UNKNOWN_CLASS nobody'],
    ],
    ['FIND host AS a (THAT EATS service AS b)? WHERE b EXISTS', ['UNKNOWN_VERB EATS']],
    ['FIND host AS a (THAT EATS service AS b)? WHERE b IS NULL', []],
    ['FIND host AS a (THAT EATS service THAT RUNS service AS b)? WHERE b EXISTS', ['UNKNOWN_VERB EATS']],
    ['FIND host AS a (THAT RUNS service AS b (THAT EATS service)?)? WHERE b EXISTS', []],
    ["FIND host AS a (THAT RUNS service WITH onwer = 'x' AS b)? WHERE b EXISTS", ['UNKNOWN_PROPERTY onwer']],
    ['FIND host AS a (THAT EATS service AS b)? WHERE (a THAT RUNS b)', ['UNKNOWN_VERB EATS']],
    ['FIND host AS a (THAT RUNS nobody AS b)? WHERE b.port = 1', ['UNKNOWN_CLASS nobody']],
    ['FIND host AS a (THAT RUNS nobody AS b)? WHERE a = b', ['UNKNOWN_CLASS nobody']],
    ['FIND host AS a (THAT RUNS nobody AS b)? WHERE a != b', []],
    ['FIND host AS a (THAT RUNS nobody AS b)? WHERE NOT a != b', ['UNKNOWN_CLASS nobody']],
    ['FIND host AS a THAT RUNS service AS b WHERE a.os = b.onwer', ['UNKNOWN_PROPERTY b']],
    ['FIND host AS a THAT RUNS service AS b WHERE a.os != b.onwer', []],
    ['FIND host AS a THAT RUNS service AS b WHERE a.os BETWEEN b.onwer AND b.name', ['UNKNOWN_PROPERTY b']],
    ['FIND host AS a THAT RUNS AS r service WHERE r.privelege = 1', ['UNKNOWN_PROPERTY r']],
    ['FIND host AS a THAT RUNS AS r service WHERE r._key EXISTS', []],
    ["FIND host AS a THAT RUNS AS r service WHERE r.verb = 'RUNZ'", ['UNKNOWN_VERB ']],
    ["FIND * WITH _type = 'hots'", ['UNKNOWN_CLASS ']],
    ["FIND * WITH class IN ('Hots', 'Host')", []],
    ["FIND * WITH _class IN ('Hots', 'Hsot')", ['UNKNOWN_CLASS ', 'UNKNOWN_CLASS ']],
    ["FIND * WITH class != 'Hots'", []],
    ["FIND host WITH NOT (onwer != 'a')", ['UNKNOWN_PROPERTY onwer']],
    ['FIND host WITH NOT (onwer IS NULL)', ['UNKNOWN_PROPERTY onwer']],
    ["FIND host WITH NOT onwer NOT IN ('a')", ['UNKNOWN_PROPERTY onwer']],
    ["FIND host WITH NOT (onwer != 'a' OR so != 'b')", ['UNKNOWN_PROPERTY onwer', 'UNKNOWN_PROPERTY so']],
    ["FIND host WITH NOT (onwer != 'a' AND os != 'b')", []],
    ['FIND host WITH os > 5', ['TYPE_MISMATCH os']],
    ["FIND host WITH os > 'a'", []],
    ['FIND host WITH os = 5', ['TYPE_MISMATCH os']],
    ["FIND host WITH os IN (5, 'linux')", []],
    ['FIND host WITH os != 5', []],
    ['FIND host GROUP BY os HAVING SUM(cost) > 1000', ['UNKNOWN_PROPERTY cost']],
    ['FIND host GROUP BY os HAVING COUNT(cost) = 0', []],
    ['FIND host GROUP BY os HAVING COUNT(*) > 1000', []],
    ["FIND host GROUP BY onwer HAVING onwer = 'a'", ['UNKNOWN_PROPERTY onwer']],
    ["FIND SHORTEST PATH FROM 'nothing' TO host", ['UNKNOWN_KEY ']],
    ["FIND BLAST RADIUS FROM host WITH _key = 'nothing'", ['UNKNOWN_KEY host']],
    ["FIND BLAST RADIUS FROM host WITH os = 'nothing'", []],
    ["FIND host WITH _key = 'nothing'", []],
    [
      'FIND SHORTEST PATH FROM nobody TO noone VIA EATS',
      ['UNKNOWN_CLASS nobody', 'UNKNOWN_CLASS noone', 'UNKNOWN_VERB EATS'],
    ],
    ["FIND SHORTEST PATH FROM 'a' TO host WITH onwer = 'x'", ['UNKNOWN_KEY ', 'UNKNOWN_PROPERTY onwer']],
    ['FIND SHORTEST PATH FROM host TO host VIA (RUNS|EATS)', []],
    ['FIND BLAST RADIUS FROM nobody VIA EATS', ['UNKNOWN_CLASS nobody', 'UNKNOWN_VERB EATS']],
    ['FIND BLAST RADIUS FROM host', []],
  ])('of %s are %j', (pql, words) => {
    expect(missingIn(pql)).toEqual(words);
  });

  it.each([
    ['FIND nobody', ['nobody'], []],
    ['FIND nobody', ['Nobody'], ['UNKNOWN_CLASS nobody']],
    ['FIND host THAT eats service', ['EATS'], []],
    ['FIND host THAT eats service', ['eats'], []],
    ['FIND host THAT RUNS service WITH onwer EXISTS', ['onwer'], []],
    ['FIND host THAT RUNS service WITH onwer EXISTS', ['Onwer'], ['UNKNOWN_PROPERTY onwer']],
  ])('of %s, of which %j may be absent, are %j', (pql, mayBeAbsent, words) => {
    expect(missingIn(pql, mayBeAbsent)).toEqual(words);
  });

  it('name probable alternatives', () => {
    const nearest = (pql: string) => engine.missingWords(reader, pql).map((word) => word.nearest);

    expect(nearest("FIND Hots THAT RNUS service WITH nmae = 'nginx'")).toEqual(['Host', 'RUNS', 'name']);
    expect(nearest('FIND zzzzzz')).toEqual([undefined]);
  });

  it('leave a query without a result, and are listed once each in source order', () => {
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, (data, parts) => {
        const some = new NaiveReader(data);
        const { text } = findText(parts);

        const places = engine.missingWords(some, text).map(({ position }) => position ?? -1);

        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
        if (places.length > 0) expect(engine.runSync(some, text).count).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
