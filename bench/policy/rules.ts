import type { Rule } from '../../libs/graph/policy/src/index.ts';
import { ENTITY_TYPES, ENVIRONMENTS, LINK_KINDS, REGIONS, STATES } from '../data/vocabulary.ts';

/** The subjects of the rules: a value, an absence, a pattern, a hop, no hop, a reverse hop, a group. */
type Template = (at: number) => string;

const TEMPLATES: readonly Template[] = [
  (at) => `FIND ${type(at)} WITH state = '${state(at)}' AND env = '${pick(ENVIRONMENTS, at)}'`,
  (at) => `FIND ${type(at)} WITH NOT owner EXISTS AND region = '${pick(REGIONS, at)}'`,
  (at) => `FIND ${type(at)} WITH name ILIKE '%-00${at % 10}%.corp.example' AND cpu > 60`,
  (at) => hop(at, '>>'),
  (at) =>
    `FIND ${type(kind(at).from)} WITH env = 'prod' AND state = 'failed' THAT !${kind(at).verb} >> ${type(kind(at).to)}`,
  (at) =>
    `FIND ${type(kind(at).to)} WITH state = 'retired' THAT ${kind(at).verb} << ${type(kind(at).from)} WITH env = 'prod'`,
  (at) => `FIND ${type(at)} GROUP BY rack HAVING count > ${11 + (at % 3)}`,
];

/** Generates this many different rules, half of them with a population. */
export function benchRules(count: number): Rule[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `rule-${at}`,
    name: `Rule ${at}`,
    severity: 'medium',
    description: '',
    query: pick(TEMPLATES, at)(Math.floor(at / TEMPLATES.length) + at),
    ...(at % 2 === 0 && { population: `FIND ${type(at)}` }),
    parameters: {},
    expect: { rows: 0 },
    identity: [],
    frameworks: [],
    tags: [],
    schedule: 'manual',
    remediation: '',
    exceptions:
      at % 5 === 0 && at % TEMPLATES.length !== 6 ? [{ match: "owner = 'team-007'", reason: 'known' }] : [],
    enabled: true,
    may_be_absent: [],
    tests: [],
  }));
}

function hop(at: number, arrow: string): string {
  const { from, verb, to } = kind(at);
  return `FIND ${type(from)} WITH state = '${state(at)}' THAT ${verb} ${arrow} ${type(to)} WITH env = '${pick(ENVIRONMENTS, at)}' AND cpu < 8`;
}

function kind(at: number): (typeof LINK_KINDS)[number] {
  return pick(LINK_KINDS, at);
}

function type(at: number): string {
  return pick(ENTITY_TYPES, at).type;
}

function state(at: number): string {
  return pick(STATES, at)[0];
}

function pick<Item>(items: readonly Item[], at: number): Item {
  const item = items[at % items.length];
  if (item === undefined) throw new RangeError('nothing to pick from');
  return item;
}
