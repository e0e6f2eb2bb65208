import fc from 'fast-check';

/** A hop or a group, before it is printed. */
type Pattern = Hop | Group;

interface Hop {
  readonly verb: string;
  readonly repeat: string;
  readonly direction: string;
  readonly linkAlias: boolean;
  readonly node: Node;
}

interface Group {
  readonly mode: '' | '?' | '!';
  readonly hops: readonly Pattern[];
}

interface Node {
  readonly name: string;
  readonly filter: string | null;
  readonly alias: boolean;
}

export interface FindParts {
  readonly node: Node;
  readonly hops: readonly Pattern[];
  readonly conditions: readonly Condition[];
  readonly isOr: boolean;
}

interface Condition {
  readonly left: number;
  readonly right: number;
  readonly form: string;
}

const name = fc.constantFrom('*', 'host', 'Host', 'service', '(Service|user)', 'Thing');

const condition = fc.constantFrom(
  `os = 'linux'`,
  `os != 'linux'`,
  'cpu > 1',
  'cpu <= 2',
  'cpu BETWEEN 1 AND 2.5',
  'cpu NOT BETWEEN 1 AND 2',
  'NOT flag EXISTS',
  'flag = true',
  'flag IS NULL',
  `tags CONTAINS 'linux'`,
  `tags = 1`,
  `os IN ('linux', 'windows', 2)`,
  `os NOT IN ('linux', null)`,
  `os LIKE 'l%x'`,
  `os NOT LIKE '%i_ux'`,
  `os ILIKE 'LIN%'`,
  `os =~ 'in.*s'`,
  `os STARTS WITH 'Li'`,
  `os ^= 'win'`,
  `tags ~= 'lin'`,
  `tags !~= ('lin' OR 'win')`,
  `NOT tags =~ 'in.*s'`,
  `tags ENDS WITH 'ux'`,
  `tags NOT LIKE 'l%x'`,
  `tags = ('linux' AND 'windows')`,
  `os !^= 'lin'`,
  `os = undefined`,
  `_key > 'a'`,
  `_key < '😀'`,
  `class = 'Host'`,
  'missing = 1',
  `cpu >= 'linux'`,
  'os > date(2026-01-02T03)',
  'os NOT IN (date(2026-01-02T03:04:05Z), 1)',
  'cpu = date(1970-01-01T00:00:02.5Z)',
  'cpu BETWEEN date(1970) AND date(1970-01-01T00:00:01Z)',
);

const filter = fc.oneof(
  condition,
  fc.tuple(condition, condition).map(([a, b]) => `${a} AND ${b}`),
  fc.tuple(condition, condition).map(([a, b]) => `(${a} OR ${b})`),
  condition.map((item) => `NOT (${item})`),
);

const node: fc.Arbitrary<Node> = fc.record({
  name,
  filter: fc.option(filter, { freq: 2 }),
  alias: fc.boolean(),
});

const hop: fc.Arbitrary<Hop> = fc.record({
  verb: fc.constantFrom('RUNS', 'uses', '(RUNS|TRUSTS)', 'RELATES TO', 'TRUSTS'),
  repeat: fc.constantFrom(
    '',
    '',
    '',
    '',
    '{1..2}',
    '{2}',
    '{0..1}',
    '{2..3}',
    '{1..3}',
    '{0..4}',
    '{3..4}',
    '{4}',
  ),
  direction: fc.constantFrom('', '', ' >>', ' <<'),
  linkAlias: fc.boolean(),
  node,
});

const { patterns } = fc.letrec<{ patterns: Pattern[]; group: Group }>((tie) => ({
  patterns: fc.array(fc.oneof({ maxDepth: 2 }, hop, tie('group')), { minLength: 1, maxLength: 3 }),
  group: fc.record({ mode: fc.constantFrom('' as const, '?' as const, '!' as const), hops: tie('patterns') }),
}));

const FORMS = [
  'A.cpu = B.cpu',
  'A.os != B.os',
  'A.cpu < B.cpu',
  'A._key <= B._key',
  'A = B',
  'A != B',
  `A.os = 'linux'`,
  'A.cpu EXISTS',
  'A.flag IS NULL',
  'A IS NULL',
  'A.os CONTAINS B.os',
  'A.tags CONTAINS B.os',
  '(A THAT RUNS B)',
  '(A THAT RELATES TO B)',
  '(A THAT (TRUSTS|uses) >> B)',
  'NOT (A THAT RELATES TO << B)',
  'NOT (A THAT RUNS >> B)',
];

const LINKED = /^(NOT )?\(A THAT/;

export const arbitraryFind: fc.Arbitrary<FindParts> = fc.record({
  node,
  hops: fc.oneof(fc.constant([]), patterns),
  conditions: fc.array(fc.record({ left: fc.nat(), right: fc.nat(), form: fc.constantFrom(...FORMS) }), {
    maxLength: 2,
  }),
  isOr: fc.boolean(),
});

/** The pattern and WHERE; the aliases in the order of the text. */
export function findText({ node: first, hops, conditions, isOr }: FindParts): {
  text: string;
  aliases: string[];
} {
  const writer = new Writer();
  const pattern = [writer.node(first, false), ...writer.hops(hops, false)].join(' ');
  const clauses = conditions.flatMap((item) => writer.condition(item));
  const where = clauses.length === 0 ? '' : ` WHERE ${clauses.join(isOr ? ' OR ' : ' AND ')}`;
  return { text: `FIND ${pattern}${where}`, aliases: writer.aliases };
}

class Writer {
  readonly aliases: string[] = [];
  readonly #nodes: string[] = [];
  readonly #links: string[] = [];

  node({ name: names, filter: condition, alias }: Node, isAbsent: boolean): string {
    const filterText = condition === null ? '' : ` WITH ${condition}`;
    return `${names}${filterText}${alias && !isAbsent ? ` AS ${this.#alias('n', this.#nodes)}` : ''}`;
  }

  hops(patterns: readonly Pattern[], isAbsent: boolean): string[] {
    return patterns.map((pattern) => {
      if ('mode' in pattern) {
        return `(${this.hops(pattern.hops, isAbsent || pattern.mode === '!').join(' ')})${pattern.mode}`;
      }
      const { verb, repeat, direction, linkAlias, node: target } = pattern;
      const alias = linkAlias && repeat === '' && !isAbsent ? ` AS ${this.#alias('l', this.#links)}` : '';
      return `THAT ${verb}${repeat}${direction}${alias} ${this.node(target, isAbsent)}`;
    });
  }

  /** Nothing without aliases; two nodes, or two relationships. */
  condition({ left, right, form }: Condition): string[] {
    const isOfLinks = left % 3 === 0 && this.#links.length > 0 && !LINKED.test(form);
    const kind = isOfLinks ? this.#links : this.#nodes;
    const [a, b] = [kind[left % kind.length], kind[right % kind.length]];
    return a === undefined || b === undefined ? [] : [form.replace(/\bA\b/g, a).replace(/\bB\b/g, b)];
  }

  #alias(letter: string, of: string[]): string {
    const alias = `${letter}${String(this.aliases.length)}`;
    this.aliases.push(alias);
    of.push(alias);
    return alias;
  }
}
