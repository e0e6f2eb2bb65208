import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { snapshotOf } from '#graph/memory';
import { completeEntity, FieldPath, parseEntity, parseRelationship } from '#graph/model';
import { NodeDisk } from '#platform/disk';
import { evaluateRule } from './evaluate-rule.ts';
import { readRuleFiles } from '../service/rule-files.ts';
import { parseRule } from '../rule/parse-rules.ts';
import { proofOf, type QueryText, ruleQueryText } from './proof-query.ts';
import { createRuleEngine } from '../rule/rule-query.ts';
import { jsonSource } from '../rule/rule-source.ts';
import type { Rule, RuleTest } from '../rule/rule.ts';

const NOW_MS = Date.UTC(2026, 10, 22);
const STARTER = join(import.meta.dirname, '../../../../../rules/starter');

function graphOf({ entities, relationships }: Pick<RuleTest, 'entities' | 'relationships'>) {
  const path = new FieldPath();
  const graph = {
    entities: entities.map((value) => completeEntity(parseEntity(value, path))),
    relationships: relationships.map((value) => parseRelationship(value, path)),
  };
  return snapshotOf(graph, NOW_MS);
}

function ruleOf(fields: object): Rule {
  return parseRule(jsonSource({ id: 'r', ...fields }));
}

function inPql(text: QueryText): Extract<QueryText, { pql: string }> {
  if ('pql' in text) return text;
  throw new Error(`expected PQL, got ${text.cypher}`);
}

/** The rows, paths or entities that prove each violation of a rule. */
function proofs(rule: Rule, data: Pick<RuleTest, 'entities' | 'relationships'>) {
  const reader = graphOf(data);
  const engine = createRuleEngine();
  const task = { rule, params: {}, violationsMax: 1_000, timeoutMs: 60_000, needsData: false, nowMs: NOW_MS };
  const { violations, error } = evaluateRule(engine, reader, task);
  expect(error).toBeNull();
  return violations.map((violation) => {
    const { pql, params } = inPql(proofOf(rule, violation));
    const result = engine.runSync(reader, pql, { params });
    return { pql, count: result.count, page: result.page(0, result.count), violation, reader };
  });
}

const HOSTS = {
  entities: [
    { type: 'user', key: 'ann' },
    { type: 'host', key: 'a', properties: { os: 'linux' } },
    { type: 'host', key: 'b', properties: { os: 'linux' } },
    { type: 'host', key: 'c' },
    { type: 'host', key: "d'\\", properties: { os: 'plan9' } },
  ],
  relationships: [
    { from: { type: 'user', key: 'ann' }, verb: 'USES', to: { type: 'host', key: 'a' } },
    { from: { type: 'host', key: 'a' }, verb: 'CONNECTS', to: { type: 'host', key: 'b' } },
    { from: { type: 'host', key: 'b' }, verb: 'CONNECTS', to: { type: 'host', key: 'c' } },
  ],
};

describe('proofOf', () => {
  it('returns the one entity with all matches of the pattern', () => {
    const rule = ruleOf({
      query: 'FIND user THAT USES host WITH os = $os',
      parameters: { os: { type: 'string', default: 'linux' } },
    });

    const [proof] = proofs(rule, HOSTS);

    expect(proof?.pql).toMatch(
      /^FIND user AS found WITH _id = '[0-9a-f]{32}' THAT USES AS link host AS other WITH os = \$os RETURN found, link, other LIMIT 100$/,
    );
    expect(proof?.count).toBe(1);
  });

  it('keeps the aliases of the query, and adds new ones', () => {
    const rule = ruleOf({ query: 'FIND host AS link THAT CONNECTS AS found host WHERE link.os = found.os' });

    expect(inPql(proofOf(rule, { entity_id: 'f'.repeat(32) })).pql).toContain(
      'RETURN link, found, other LIMIT 100',
    );
  });

  it('returns the rows of a group, also with absent keys', () => {
    const rule = ruleOf({ query: 'FIND host GROUP BY os HAVING COUNT(*) < 3' });

    const found = proofs(rule, HOSTS);

    expect(found.map(({ violation, count }) => [violation.display_name, count]).sort()).toEqual([
      ['linux', 2],
      ['null', 1],
      ['plan9', 1],
    ]);
  });

  it('returns the rows of an entity for a group by that entity', () => {
    const rule = ruleOf({ query: 'FIND host AS h THAT RELATES TO * GROUP BY h HAVING COUNT(*) >= 2' });

    for (const { count } of proofs(rule, HOSTS)) expect(count).toBe(2);
  });

  it('returns the path of a path query', () => {
    const rule = ruleOf({
      query: "FIND SHORTEST PATH FROM user TO host WITH _key = 'c' VIA (USES|CONNECTS) >>",
    });

    const [proof] = proofs(rule, HOSTS);

    expect(proof?.page.paths?.[0]?.nodes.length).toBe(4);
  });

  it('returns the path of one start for a query of the path of each start', () => {
    const rule = ruleOf({
      query: "FIND SHORTEST PATH FROM EACH * TO host WITH _key = 'c' VIA (USES|CONNECTS) >>",
    });

    const found = proofs(rule, HOSTS);

    expect(found.map(({ page }) => page.paths?.length)).toEqual(found.map(() => 1));
    expect(found.map(({ page }) => page.paths?.[0]?.nodes.length).sort()).toEqual([1, 2, 3, 4]);
  });

  it('returns a path to the affected entity of a blast radius', () => {
    const rule = ruleOf({ query: 'FIND BLAST RADIUS FROM user VIA (USES|CONNECTS) >>' });

    const found = proofs(rule, HOSTS);

    expect(found.map(({ page }) => page.paths?.[0]?.nodes.length)).toEqual([2, 3, 4]);
  });

  it('includes the values of the parameters that it uses', () => {
    const parameters = { a: { type: 'number', default: 3 }, b: { type: 'string' } };
    const rule = ruleOf({ query: 'FIND host WITH x > $a', population: 'FIND host WITH y = $b', parameters });

    expect(ruleQueryText(rule)).toEqual({ pql: 'FIND host WITH x > $a', params: { a: 3 } });
    expect(ruleQueryText(rule, rule.population)).toEqual({ pql: rule.population, params: {} });
  });

  it('has results for each finding of each starter rule in its own tests', async () => {
    const rules = await readRuleFiles(STARTER, new NodeDisk());
    let count = 0;
    for (const rule of rules) {
      for (const test of rule.tests) {
        for (const proof of proofs(rule, test)) {
          expect([rule.id, proof.pql, proof.count > 0]).toEqual([rule.id, proof.pql, true]);
          const ids = Array.from(proof.page.entities, (node) => proof.reader.nodeField(node, '_id'));
          if (proof.violation.entity_id !== null && ids.length > 0)
            expect([rule.id, ids]).toEqual([rule.id, expect.arrayContaining([proof.violation.entity_id])]);
          count++;
        }
      }
    }
    expect(count).toBeGreaterThan(rules.length);
  });
});
