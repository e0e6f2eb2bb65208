/** Searches of texts by their words, where an index of full text was created. */
import { nearestName } from '#platform/foundation';
import type { Procedure, ProcedureRows } from '../graph/procedure.port.ts';
import type { Run } from '../graph/run.ts';
import { pausing } from '../stage/stage.ts';
import { runtimeFault } from '../syntax/fault.ts';
import type { IndexRule } from '../syntax/schema-rule.ts';
import { isList, isMap, LinkValue, NodeValue, typeName, type Value } from '../value/value.ts';
import { FullTextQuery, type Texts, wordsOf } from './full-text-query.ts';
import { fieldsOf } from './procedure-table.ts';

type Entity = IndexRule['entity'];
type Element = NodeValue | LinkValue;

const INPUTS = { indexName: 'STRING', queryString: 'STRING', options: 'MAP' };

function searching(name: string, entity: Entity): Procedure {
  const column = entity === 'NODE' ? 'node' : 'relationship';
  return {
    name,
    description: `The ${column}s of an index of full text that a query matches, the best first.`,
    mode: 'READ',
    inputs: fieldsOf(INPUTS),
    requiredInputs: 2,
    outputs: fieldsOf({ [column]: entity, score: 'FLOAT' }),
    *rows([index = null, query = null, options = null], run): ProcedureRows {
      const rule = indexOf(index, entity, run);
      const found = yield* matches(rule, new FullTextQuery(typeof query === 'string' ? query : ''), run);
      found.sort((a, b) => b.score - a.score);
      const skip = countOf(options, 'skip') ?? 0;
      const end = skip + (countOf(options, 'limit') ?? Infinity);
      for (const { element, score } of found.slice(skip, end)) yield [element, score];
    },
  };
}

function indexOf(name: Value, entity: Entity, { schema }: Run): IndexRule {
  const indexes = schema.rules.filter((rule) => rule.kind === 'index' && rule.type === 'FULLTEXT');
  const found = indexes.find((rule) => rule.name === name && rule.entity === entity);
  if (found?.kind === 'index') return found;
  const text = typeof name === 'string' ? name : typeName(name);
  const nearest = nearestName(
    text,
    indexes.map((rule) => rule.name),
  );
  const hint = nearest === undefined ? 'create one by CREATE FULLTEXT INDEX' : `did you mean ${nearest}?`;
  const message = `there is no full text index \`${text}\` of ${entity.toLowerCase()}s: ${hint}`;
  throw runtimeFault('SchemaRule', 'Neo.ClientError.Schema.IndexNotFound', message);
}

interface Match {
  readonly element: Element;
  readonly score: number;
}

function* matches(rule: IndexRule, query: FullTextQuery, run: Run): Generator<undefined, Match[]> {
  const found: Match[] = [];
  for (const element of rule.entity === 'NODE' ? nodesOf(rule, run) : linksOf(rule, run)) {
    if (element === undefined || run.isPauseDue()) yield undefined;
    const score = element === undefined ? 0 : query.scoreOf(textsOf(element, rule, run));
    if (element === undefined || score === 0) continue;
    run.hold(3);
    found.push({ element, score });
  }
  return found;
}

/** A node with several of the labels once. */
function* nodesOf({ names }: IndexRule, run: Run): Generator<NodeValue | undefined, void> {
  for (const [at, name] of names.entries()) {
    for (const node of yield* pausing(run.graph.scan({ labels: [name], equals: [] }))) {
      const isKnown = names.slice(0, at).some((label) => run.graph.hasLabel(node, label));
      yield isKnown ? undefined : new NodeValue(node);
    }
  }
}

function* linksOf({ names }: IndexRule, run: Run): Generator<LinkValue | undefined, void> {
  for (const node of yield* pausing(run.graph.scan({ labels: [], equals: [] }))) {
    yield undefined;
    for (const link of run.graph.expand(node, 'out', names).links) yield new LinkValue(link);
  }
}

function textsOf(element: Element, { properties }: IndexRule, { graph }: Run): Texts {
  return new Map(
    properties.map((key) => {
      const value =
        element instanceof NodeValue
          ? graph.nodeProperty(element.node, key)
          : graph.linkProperty(element.link, key);
      const texts = (isList(value) ? value : [value]).filter((each) => typeof each === 'string');
      return [key, texts.flatMap(wordsOf)];
    }),
  );
}

function countOf(options: Value, key: string): number | undefined {
  const value = isMap(options) ? options.get(key) : undefined;
  return typeof value === 'bigint' && value >= 0n ? Number(value) : undefined;
}

export const FULL_TEXT_PROCEDURES: readonly Procedure[] = [
  searching('db.index.fulltext.queryNodes', 'NODE'),
  searching('db.index.fulltext.queryRelationships', 'RELATIONSHIP'),
];
