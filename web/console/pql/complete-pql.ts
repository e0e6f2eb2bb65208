/**
 * Completion candidates at a position of a query, from the preceding tokens and the schema of the data. It
 * uses no grammar: the last few tokens decide, so that an incomplete query is completed too.
 */
import { openText, type PqlToken, pqlTokens } from './scan-pql.ts';

export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

/** The names that `GET /v1/schema` returns. */
export interface Vocabulary {
  readonly classes: readonly NamedCount[];
  /** Missing without labels. */
  readonly labels?: readonly NamedCount[];
  readonly verbs: readonly NamedCount[];
  readonly types: readonly (NamedCount & {
    readonly classes: readonly string[];
    readonly labels?: readonly string[];
    readonly properties: readonly NamedCount[];
  })[];
}

export interface Candidate {
  /** The text inserted into the query. */
  readonly text: string;
  readonly kind:
    'keyword' | 'class' | 'type' | 'label' | 'verb' | 'property' | 'field' | 'alias' | 'function';
  readonly count?: number;
}

export interface Completion {
  /** Start of the replaced word. */
  readonly from: number;
  /** The quote of the text in which the cursor is. */
  readonly quote?: '"' | "'";
  readonly candidates: readonly Candidate[];
  /** Whether the query cannot end here: a name or a value must follow. */
  readonly isIncomplete?: boolean;
  /** Set where a value is expected: the field, and its classes. */
  readonly valuesOf?: { readonly classes: readonly string[]; readonly property: string };
}

type Place = 'entity' | 'verb' | 'field' | 'value' | 'start' | 'clause';

const RECORD_FIELDS = [
  'display_name',
  '_key',
  '_type',
  '_class',
  '_labels',
  '_id',
  '_source',
  '_created_at',
  '_updated_at',
  '_last_seen_at',
];
const OPERATORS = new Set(['=', '!=', '<>', '<', '<=', '>', '>=', '^=', '$=', '~=', '=~']);
const ARITHMETIC = new Set(['+', '-', '*', '/']);
const WORD_OPERATORS = new Set(['IN', 'CONTAINS', 'LIKE', 'ILIKE', 'BETWEEN']);
const STARTS = [
  'FIND', 'EXPLAIN FIND', 'PROFILE FIND', 'FIND SHORTEST PATH FROM', 'FIND ALL SHORTEST PATHS FROM',
  'FIND BLAST RADIUS FROM',
]; // prettier-ignore
/** After a field, where a condition goes on. */
const CONDITIONS = [
  'IN', 'LIKE', 'ILIKE', 'CONTAINS', 'STARTS WITH', 'ENDS WITH', 'BETWEEN', 'EXISTS', 'IS NULL', 'IS NOT NULL', 'NOT IN',
]; // prettier-ignore
/** The clauses of a query in their order; after one, the later ones may follow. */
const TAIL = ['WHERE', 'GROUP BY', 'HAVING', 'RETURN', 'ORDER BY', 'SKIP', 'LIMIT'] as const;
/** Of a path. */
const PATH_TAIL = ['VIA', 'DEPTH', 'LIMIT'] as const;
/** What begins an operand: the word behind it is a field. */
const OPERAND_STARTS = new Set(['WITH', 'WHERE', 'HAVING', 'AND', 'OR', 'NOT', '(', '.']);
/** Clauses of fields. */
const FIELD_CLAUSES = new Set(['WITH', 'WHERE', 'GROUP', 'HAVING', 'RETURN', 'ORDER']);
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

interface Context {
  readonly text: string;
  /** Tokens before the word at the cursor. */
  readonly before: readonly PqlToken[];
  readonly vocabulary: Vocabulary;
}

/** The candidates at `at`. */
export function completePql(text: string, at: number, vocabulary: Vocabulary): Completion {
  const head = text.slice(0, at);
  const tokens = pqlTokens(head);
  const opened = openText(head);
  if (opened !== undefined)
    return completeText(opened, { text: text.slice(0, opened.from), before: tokens, vocabulary });
  const last = tokens.at(-1);
  const isInWord = last?.end === at && (last.kind === 'word' || last.kind === 'keyword');
  const from = isInWord ? last.start : at;
  const context = { text: head, before: isInWord ? tokens.slice(0, -1) : tokens, vocabulary };
  const place = placeOf(context);
  const isIncomplete = place !== 'clause' && tokens.length > 0;
  if (place !== 'value') return { from, candidates: candidatesAt(place, context), isIncomplete };
  const valuesOf = valuedField(context);
  const candidates = keywords(['true', 'false', 'null', 'NOW']);
  return { from, candidates, isIncomplete, ...(valuesOf !== undefined && { valuesOf }) };
}

/** The values for a text in quotes; nothing else is offered there. */
function completeText(
  { from, quote }: { readonly from: number; readonly quote: '"' | "'" },
  context: Context,
): Completion {
  const valuesOf = placeOf(context) === 'value' ? valuedField(context) : undefined;
  return { from, quote, candidates: [], ...(valuesOf !== undefined && { valuesOf }) };
}

function candidatesAt(place: Exclude<Place, 'value'>, context: Context): readonly Candidate[] {
  switch (place) {
    case 'start':
      return keywords(STARTS);
    case 'entity':
      return entityNames(context.vocabulary);
    case 'verb':
      return [...named('verb', context.vocabulary.verbs), ...keywords(['RELATES TO', 'NOT'])];
    case 'field':
      return [...fieldsAt(context), ...aliasNames(context), ...keywords(fieldWords(context))];
    case 'clause':
      return keywords(clausesAt(context));
  }
}

/** What may stand in place of a field. */
function fieldWords(context: Context): readonly string[] {
  return clauseOf(context) === 'RETURN'
    ? ['COUNT(*)', 'DISTINCT', 'CONCAT(']
    : ['NOT', 'COUNT(*)', 'DISTINCT'];
}

/** The keyword that begins the clause of the cursor. */
function clauseOf({ before, ...context }: Context): string {
  const words = before.map((_token, index) => wordAt({ ...context, before }, index - before.length));
  return words.findLast((word) => CLAUSE_HEADS.has(word)) ?? '';
}

/** The keywords that may follow. */
function clausesAt(context: Context): readonly string[] {
  const words = context.before.map((_token, index) => wordAt(context, index - context.before.length));
  const clause = clauseOf(context);
  const isPath = words.slice(0, 5).some((word) => ['PATH', 'PATHS', 'RADIUS'].includes(word));
  if (isPath) return pathClauses(words, clause);
  if (['WITH', 'WHERE', 'HAVING'].includes(clause)) return conditionClauses(context, words, clause);
  if (clause === 'ORDER') return ['ASC', 'DESC', ...tailAfter('ORDER BY')];
  if (clause === 'RETURN') return ['AS', ...tailAfter(clause)];
  if (clause === 'GROUP') return tailAfter('GROUP BY');
  if (clause === 'SKIP' || clause === 'LIMIT') return tailAfter(clause);
  return ['WITH', 'AS', 'THAT', ...tailAfter('')];
}

/** Behind a field the rest of its condition, behind a condition what may follow one. */
function conditionClauses(context: Context, words: readonly string[], clause: string): readonly string[] {
  const isText = context.before.at(-1)?.kind === 'string';
  if (OPERAND_STARTS.has(words.at(-2) ?? '') && !isText) return CONDITIONS;
  return ['AND', 'OR', ...(clause === 'WITH' ? ['AS', 'THAT'] : []), ...tailAfter(clause)];
}

const CLAUSE_HEADS = new Set([
  'FIND', 'FROM', 'TO', 'THAT', 'WITH', 'WHERE', 'GROUP', 'HAVING', 'RETURN', 'ORDER', 'SKIP', 'LIMIT', 'VIA', 'DEPTH',
]); // prettier-ignore

function tailAfter(clause: string): readonly string[] {
  return TAIL.slice(TAIL.findIndex((each) => each === clause) + 1).filter(
    (each) => each !== 'HAVING' || clause === 'GROUP BY',
  );
}

function pathClauses(words: readonly string[], clause: string): readonly string[] {
  const hasEnd = words.includes('TO') || words.includes('RADIUS');
  const isCondition = clause === 'WITH';
  if (isCondition && OPERAND_STARTS.has(words.at(-2) ?? '')) return CONDITIONS;
  const own = isCondition ? ['AND', 'OR'] : clause === 'FROM' || clause === 'TO' ? ['WITH'] : [];
  const from = PATH_TAIL.findIndex((each) => each === clause) + 1;
  return [...own, ...(hasEnd ? PATH_TAIL.slice(from) : ['TO'])];
}

function wordAt({ text, before }: Context, index: number): string {
  const token = before.at(index);
  if (token === undefined) return '';
  const word = text.slice(token.start, token.end);
  return token.kind === 'keyword' ? word.toUpperCase() : word;
}

/** The place after a word that alone decides it. */
const PLACES: ReadonlyMap<string, Place> = new Map([
  ...['', 'EXPLAIN', 'PROFILE'].map((word) => [word, 'start'] as const),
  ...['FIND', 'FROM', 'TO'].map((word) => [word, 'entity'] as const),
  ...['THAT', 'VIA', '!'].map((word) => [word, 'verb'] as const),
  ...[...OPERATORS, ...WORD_OPERATORS].map((word) => [word, 'value'] as const),
  ...['.', 'WHERE', 'AND', 'OR', 'RETURN', 'BY', 'HAVING', 'DISTINCT'].map(
    (word) => [word, 'field'] as const,
  ),
]);

function placeOf(context: Context): Place {
  const word = wordAt(context, -1);
  const before = wordAt(context, -2);
  const place = PLACES.get(word);
  if (place !== undefined) return place;
  if (word === 'NOT') return before === 'THAT' ? 'verb' : 'field';
  if (word === 'WITH') return before === 'STARTS' || before === 'ENDS' ? 'value' : 'field';
  if (isInColumn(context)) return 'field';
  if (isInVerbs(context)) return 'verb';
  if (isAfterVerbs(context)) return 'entity';
  return ['(', ',', '|'].includes(word) ? placeInList(context) : 'clause';
}

/** After `RETURN h.cpu *`. */
function isInColumn(context: Context): boolean {
  if (!ARITHMETIC.has(wordAt(context, -1)) || wordAt(context, -2) === '.') return false;
  return clauseOf(context) === 'RETURN';
}

/** After `THAT (`, `THAT (RUNS|`. */
function isInVerbs(context: Context): boolean {
  if (!['(', '|'].includes(wordAt(context, -1))) return false;
  return ['THAT', 'VIA', '!', 'NOT'].includes(wordAt(context, openerOf(context) - 1));
}

/** After `THAT RUNS`, `THAT (RUNS|HOSTS)`, `THAT RUNS{1..3}`, with `>>` or `<<`, but not after an entity. */
function isAfterVerbs(context: Context): boolean {
  let index = -1;
  if (['>>', '<<'].includes(wordAt(context, index))) index--;
  else if (context.before.at(index)?.kind !== 'word' && ![')', '}'].includes(wordAt(context, index)))
    return false;
  if (wordAt(context, index) === '}')
    while (wordAt(context, index) !== '{' && wordAt(context, index) !== '') index--;
  if (wordAt(context, index) === '{') index--;
  if (wordAt(context, index) === ')') index = openerOf(context, index);
  return ['THAT', '!'].includes(wordAt(context, index - 1)) || isNegated(context, index);
}

function isNegated(context: Context, index: number): boolean {
  return wordAt(context, index - 1) === 'NOT' && wordAt(context, index - 2) === 'THAT';
}

/** Counted from the end, the position of the parenthesis that is open at `index`. */
function openerOf(context: Context, index = -1): number {
  let depth = wordAt(context, index) === ')' ? 0 : 1;
  for (let at = index; wordAt(context, at) !== ''; at--) {
    if (wordAt(context, at) === ')') depth++;
    if (wordAt(context, at) === '(') depth--;
    if (depth === 0) return at;
  }
  return index;
}

function placeInList(context: Context): Place {
  const opener = openerOf(context, wordAt(context, -1) === '(' ? -1 : -2);
  const head = wordAt(context, opener) === '(' ? wordAt(context, opener - 1) : '';
  if (OPERATORS.has(head) || WORD_OPERATORS.has(head)) return 'value';
  if (['FIND', 'FROM', 'TO'].includes(head) || wordAt(context, -1) === '|') return 'entity';
  return 'field';
}

/** The field with which the value at the cursor is compared. */
function valuedField(context: Context): Completion['valuesOf'] {
  let index = -1;
  if (['(', ','].includes(wordAt(context, -1)))
    index = openerOf(context, wordAt(context, -1) === '(' ? -1 : -2) - 1;
  if (['WITH'].includes(wordAt(context, index))) index--;
  const token = context.before.at(wordAt(context, index - 1) === 'NOT' ? index - 2 : index - 1);
  if (token?.kind !== 'word') return undefined;
  const property = context.text.slice(token.start, token.end);
  const position = context.before.indexOf(token);
  const owner = { ...context, before: context.before.slice(0, position) };
  return { property, classes: classesAt(owner) };
}

function fieldsAt(context: Context): readonly Candidate[] {
  const names = new Set(classesAt(context));
  const types = context.vocabulary.types.filter(
    ({ name, classes, labels = [] }) =>
      names.size === 0 || [name, ...classes, ...labels].some((each) => names.has(each)),
  );
  const counts = new Map<string, number>();
  for (const { name, count } of types.flatMap(({ properties }) => properties)) {
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  const properties = Array.from(counts, ([name, count]) => ({ name, count }));
  properties.sort((a, b) => b.count - a.count);
  return [
    ...named('property', properties),
    ...RECORD_FIELDS.map((text) => ({ text, kind: 'field' as const })),
  ];
}

/** The classes of a field at the cursor: of the alias before a dot, else of the preceding entity. */
function classesAt(context: Context): readonly string[] {
  if (wordAt(context, -1) === '.') {
    const alias = wordAt(context, -2);
    return entitiesOf(context).find((entity) => entity.alias === alias)?.classes ?? [];
  }
  const entities = entitiesOf(context);
  const isOfFirst = context.before.some((_token, i) => ['RETURN', 'BY'].includes(wordAt(context, -1 - i)));
  return (isOfFirst ? entities[0] : entities.at(-1))?.classes ?? [];
}

interface NamedEntity {
  readonly classes: readonly string[];
  readonly alias: string;
}

/** The entities of the query so far, in order. */
function entitiesOf({ text, vocabulary }: Context): readonly NamedEntity[] {
  const known = knownNames(vocabulary);
  const entities: { classes: string[]; alias: string }[] = [];
  let before = '';
  let areFields = false;
  for (const { kind, start, end } of pqlTokens(text)) {
    const word = text.slice(start, end);
    const last = entities.at(-1);
    // A field may have the name of a type.
    if (CLAUSE_HEADS.has(word.toUpperCase())) areFields = FIELD_CLAUSES.has(word.toUpperCase());
    const isEntity = kind === 'word' && known.has(word) && !areFields;
    if (isEntity && before !== '|') entities.push({ classes: [word], alias: '' });
    else if (isEntity) last?.classes.push(word);
    else if (before.toUpperCase() === 'AS' && last?.alias === '') last.alias = word;
    before = word;
  }
  return entities;
}

function knownNames({ classes, types, labels = [] }: Vocabulary): ReadonlySet<string> {
  return new Set([...classes, ...types, ...labels].map(({ name }) => name));
}

function aliasNames(context: Context): readonly Candidate[] {
  if (wordAt(context, -1) === '.') return [];
  const aliases = entitiesOf(context).map(({ alias }) => alias);
  return aliases.filter((text) => text !== '').map((text) => ({ text, kind: 'alias' }));
}

/** A name is offered once, whatever it is a name of. */
function entityNames({ classes, types, labels = [] }: Vocabulary): readonly Candidate[] {
  const others = new Set([...classes, ...types].map(({ name }) => name));
  const furtherLabels = labels.filter(({ name }) => !others.has(name));
  return [
    ...named('class', classes),
    ...named('type', types),
    ...named('label', furtherLabels),
    { text: '*', kind: 'keyword' },
  ];
}

function named(kind: Candidate['kind'], names: readonly NamedCount[]): readonly Candidate[] {
  return names.map(({ name, count }) => ({ text: quoted(name), kind, count }));
}

function keywords(texts: readonly string[]): readonly Candidate[] {
  return texts.map((text) => ({ text, kind: 'keyword' }));
}

/** A name in the syntax of a query. */
export function quoted(name: string): string {
  return PLAIN_NAME.test(name) ? name : `\`${name.replaceAll('`', '``')}\``;
}

/** A value in the syntax of a query. */
export function literal(value: string | number | boolean, quote: '"' | "'" = "'"): string {
  if (typeof value !== 'string') return String(value);
  const escaped = value.replaceAll('\\', '\\\\');
  return quote === "'" ? `'${escaped.replaceAll("'", "''")}'` : `"${escaped.replaceAll('"', '\\"')}"`;
}
