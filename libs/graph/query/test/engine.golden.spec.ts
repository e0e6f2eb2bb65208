import { describe } from '@jest/globals';
import {
  QueryEngine,
  LinkCell,
  NodeCell,
  explainFault,
  type Cell,
  type PlanTree,
  type QueryResult,
} from '#graph/query';
import { FIXTURE, NaiveReader, TEST_STAMP } from '#graph/testing';
import { DomainError, type Clock } from '#platform/foundation';
import { goldenTests } from '#testing';

const file = (name: string): URL => new URL(`data/${name}.txt`, import.meta.url);

const DAY_MS = 86_400_000;
const reader = new NaiveReader(FIXTURE);
/** Two days after the fixture was written. */
const clock: Clock = { nowMs: () => TEST_STAMP.atMs + 2 * DAY_MS, monotonicMs: () => 0 };
const engine = new QueryEngine({
  vocabulary: {
    hasClass: (name) => name === 'Firewall',
    hasVerb: (verb) => verb === 'MANAGES',
    classes: ['Firewall'],
    verbs: ['MANAGES'],
  },
  clock,
});

const key = (node: number): string => String(reader.nodeField(node, '_key'));

function shown(cell: Cell): string {
  if (cell instanceof NodeCell) return `(${key(cell.node)})`;
  if (cell instanceof LinkCell) return `[${key(reader.linkFrom(cell.link))} ${reader.linkVerb(cell.link)}]`;
  return JSON.stringify(cell ?? null);
}

/** The query, and in a last line `with {…}` its parameters. */
function answer(input: string): string {
  const [, pql = input, params = '{}'] = /^([^]*)\nwith (.*)$/.exec(input) ?? [];
  try {
    return report(
      engine.runSync(reader, pql, { params: JSON.parse(params) as Record<string, unknown> }),
    ).join('\n');
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code === 'PQL_SYNTAX' ? explainFault(pql, error) : `${error.code}: ${error.message}`;
  }
}

function report(result: QueryResult): string[] {
  const page = result.page(0, 1_000);
  const { rows = [], groups = [], paths = [], impacted = [] } = page;
  return [
    `${String(result.count)} ${result.kind}`,
    ...(page.entities.length > 0 ? [`entities: ${Array.from(page.entities, key).join(' ')}`] : []),
    ...groups.map(({ keys, count, aggregates }) => {
      const named = aggregates.map(([name, cell]) => `, ${name} ${shown(cell)}`).join('');
      return `group ${keys.map(shown).join(' | ')}: ${String(count)}${named}`;
    }),
    ...(result.columns === undefined ? [] : [`columns: ${result.columns.join(' | ')}`]),
    ...rows.map((row) => `row ${row.map(shown).join(' | ')}`),
    ...paths.map(({ nodes, links }) => {
      const verbs = Array.from(links, (link) => reader.linkVerb(link));
      return `path ${Array.from(nodes, (node, at) => `${key(node)} ${verbs[at] ?? ''}`).join(' ')}`.trimEnd();
    }),
    ...impacted.map(
      ({ node, depth, via }) => `depth ${String(depth)}: ${key(node)} by ${reader.linkVerb(via)}`,
    ),
    ...(result.impactedByClass ?? []).map(([name, count]) => `class ${name}: ${String(count)}`),
    ...(result.plan === undefined ? [] : tree(result.plan, '')),
    ...result.warnings.map(
      ({ code, message, position }) => `warning ${code} at ${String(position ?? '-')}: ${message}`,
    ),
  ];
}

function tree({ operator, detail, children, ...figures }: PlanTree, indent: string): string[] {
  const { estimated_rows: estimated, actual_rows: actual } = figures;
  const rows = `${estimated === undefined ? '' : ` ~${String(estimated)}`}${actual === undefined ? '' : ` =${String(actual)}`}`;
  return [
    `${indent}${operator}: ${detail}${rows}`,
    ...children.flatMap((child) => tree(child, `${indent}  `)),
  ];
}

describe('the answers over the fixture', () => {
  describe('to conditions', () => goldenTests(file('run-conditions'), answer));
  describe('to patterns', () => goldenTests(file('run-patterns'), answer));
  describe('to rows, groups and order', () => goldenTests(file('run-rows'), answer));
  describe('to searches', () => goldenTests(file('run-searches'), answer));
  describe('to odd questions', () => goldenTests(file('run-warnings'), answer));
  describe('to EXPLAIN and PROFILE', () => goldenTests(file('run-plans'), answer));
});
