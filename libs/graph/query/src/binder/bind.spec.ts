import { describe, expect, it } from '@jest/globals';
import { parse } from '../parser/parser.ts';
import { bind } from './bind.ts';
import type { BoundFind, BoundQuery } from './bound-query.ts';

function bound(text: string): BoundQuery {
  return bind(parse(text), text);
}

function boundFind(text: string): BoundFind {
  const { body } = bound(text);
  if (body.kind !== 'find') throw new Error(`expected FIND, not ${body.kind}`);
  return body;
}

function thawed(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, field]) => thawed(field, `${path}/${key}`));
  return Object.isFrozen(value) ? inner : [path, ...inner];
}

describe('bind', () => {
  it('numbers every node and hop in source order, including groups', () => {
    const { elements, node, hops } = boundFind('FIND a (THAT b c (THAT d e)!)? THAT !f g THAT h i');

    const first = hops[0];
    expect(elements.map((element) => element.element)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(elements.map(({ kind }) => kind).join(' ')).toBe('node hop node hop node hop node hop node');
    expect(elements.map(({ presence }) => presence)).toEqual([
      'required',
      ...['optional', 'optional', 'absent', 'absent'],
      ...['absent', 'absent'],
      ...['required', 'required'],
    ]);
    expect(elements[0]).toBe(node);
    expect(first?.kind === 'group' && first.hops[0]).toBe(elements[1]);
  });

  it('makes everything inside an absent group absent', () => {
    const { elements } = boundFind('FIND a ((THAT b c)?)!');

    expect(elements.map(({ presence }) => presence)).toEqual(['required', 'absent', 'absent']);
  });

  it.each([
    `FIND a AS h WITH x = 1 OR y IN ($p, 2) AND z LIKE 'q' (THAT (b|B) AS r c AS s)? WHERE h.x = s.y OR h != s
     GROUP BY h.x, s HAVING count > 1 AND NOT n BETWEEN 1 AND 2 RETURN h.x, AVG(h.y) AS n, s.z
     ORDER BY n DESC SKIP $s LIMIT 3`,
    'FIND a RETURN DISTINCT b AS c ORDER BY c',
    'FIND a RETURN COUNT',
    "FIND SHORTEST PATH FROM a WITH b = $x TO 'y' VIA (c|C) DEPTH 2",
    'FIND BLAST RADIUS FROM a LIMIT 4',
  ])('freezes all that comes of %s', (text) => {
    const query = bound(text);

    expect(thawed(query)).toEqual([]);
  });

  it('lists each parameter once, at its first position', () => {
    const { parameters } = bound('FIND a WITH b = $x AND c IN ($y, $x) SKIP $y LIMIT $z');

    expect(parameters.map(({ name, span }) => [name, span.start])).toEqual([
      ['x', 16],
      ['y', 29],
      ['z', 51],
    ]);
  });

  it('deduplicates class names case-sensitively and verbs case-insensitively', () => {
    const { elements } = boundFind('FIND (host|Host|host) THAT (RUNS|runs|Uses) *');

    const [node, hop] = elements;
    expect(node?.kind === 'node' && node.names).toMatchObject([{ text: 'host' }, { text: 'Host' }]);
    expect(hop?.kind === 'hop' && hop.verbs).toMatchObject([{ text: 'RUNS' }, { text: 'Uses' }]);
  });

  it('warns of mixed AND and OR once per place, at the first character of the condition', () => {
    const { warnings } = bound(
      'FIND a AS h WITH a = 1 OR b = 2 AND c = 3 WHERE h.a = 1 AND h.b = 2 OR h.c = 3',
    );

    expect(warnings.map(({ code, position }) => [code, position])).toEqual([
      ['MIXED_AND_OR', 17],
      ['MIXED_AND_OR', 48],
    ]);
  });

  it('counts an aggregate used in RETURN, HAVING and ORDER BY once', () => {
    const { grouping } = boundFind(
      'FIND a GROUP BY b HAVING COUNT(*) > 1 RETURN COUNT(*) AS n, b, count ORDER BY n, count, COUNT(*)',
    );

    expect(grouping?.keys).toHaveLength(1);
    expect(grouping?.aggregates).toMatchObject([{ function: 'count', argument: '*' }]);
  });

  it('returns a field outside GROUP BY as the first value of its group', () => {
    const { grouping, returns } = boundFind('FIND a GROUP BY b RETURN b, c');

    expect(grouping?.aggregates).toMatchObject([
      { function: 'first', argument: { kind: 'field', field: 'c' } },
    ]);
    expect(returns).toMatchObject({
      columns: [{ name: 'b' }, { name: 'c', value: { kind: 'aggregate', index: 0 } }],
    });
  });
});
