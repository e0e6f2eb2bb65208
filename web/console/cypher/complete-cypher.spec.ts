import { describe, expect, it } from '@jest/globals';
import { isReading } from './scan-cypher.ts';
import { completeCypher } from './complete-cypher.ts';
import { cypherParameters } from './scan-cypher.ts';

const VOCABULARY = {
  classes: [{ name: 'Host', count: 3 }],
  verbs: [{ name: 'RUNS', count: 2 }],
  types: [
    { name: 'host', count: 3, classes: ['Host'], properties: [{ name: 'os', count: 3 }] },
    { name: 'service', count: 1, classes: ['Service'], properties: [{ name: 'port no', count: 1 }] },
  ],
};

function offered(text: string): readonly string[] {
  const at = text.indexOf('▮');
  const words = { vocabulary: VOCABULARY, functions: ['toUpper'] };
  return completeCypher(text.replace('▮', ''), at, words).candidates.map((each) => each.text);
}

describe('completion of Cypher', () => {
  it.each(['MATCH (n:▮', 'MATCH (n:ho▮', 'MATCH (n:host|▮', 'MATCH (n) WHERE n:▮', 'MATCH ()-[:RUNS]->(n:▮'])(
    'offers labels: %s',
    (text) => {
      expect(offered(text)).toEqual(['host', 'service', 'Host']);
    },
  );

  it.each(['MATCH (n)-[:▮', 'MATCH (n)-[r:RU▮', 'MATCH (n)-[r:RUNS|▮'])('offers types: %s', (text) => {
    expect(offered(text)).toEqual(['RUNS']);
  });

  it('offers the properties of the labels, quoted where they have to be', () => {
    expect(offered('MATCH (n:host) WHERE n.▮')).toContain('os');
    expect(offered('MATCH (n:host) WHERE n.▮')).not.toContain('`port no`');
    expect(offered('MATCH (n:service {▮')).toContain('`port no`');
    expect(offered('MATCH (n)-->(m) RETURN m.▮')).toEqual(
      expect.arrayContaining(['os', '`port no`', '_key']),
    );
  });

  it('offers variables, keywords and functions elsewhere', () => {
    const words = offered('MATCH p = (n:host)-[r]->(m) WITH m AS other ▮');

    expect(words).toEqual(expect.arrayContaining(['p', 'n', 'r', 'm', 'other', 'WHERE', 'toUpper(']));
  });

  it.each(["RETURN 'a▮", 'RETURN 1 // a▮', 'RETURN $a▮'])(
    'offers nothing in texts, comments, parameters: %s',
    (text) => {
      expect(offered(text)).toEqual([]);
    },
  );

  it('finds parameters outside of texts and comments', () => {
    expect(cypherParameters("RETURN $a, '$b', $a /* $c */, $`d e` // $f")).toEqual(['a', 'd e']);
  });
});

describe('isReading', () => {
  it.each([
    ['MATCH (n) RETURN n', true],
    ['optional match (n:host) WHERE n.os = 1 RETURN n', true],
    ['MATCH (n) SET n.x = 1', false],
    ['MATCH (n) detach delete n', false],
    ['MATCH (n) /**/CREATE/**/ (m)', false],
    ["MATCH (n) WHERE n.name = 'a\\' RETURN n", false],
    ['CREATE (n)', false],
    ['UNWIND [1] AS x MERGE (n {x: x})', false],
    ['MATCH (n) CALL db.labels() YIELD label RETURN label', false],
  ])('of %s is %s', (text, expected) => {
    expect(isReading(text)).toBe(expected);
  });
});
