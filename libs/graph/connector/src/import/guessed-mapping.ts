import { isKnownClass, isKnownVerb } from '#graph/model';
import { propertyName } from '../connectors/table/column-names.ts';
import type { ColumnValue, WrittenMapping, WrittenRelationship } from '../connectors/table/record-mapping.ts';
import type { SourceRow } from '../connectors/table/source-row.ts';
import { KnownKeys } from './known-keys.ts';

/** What is known of one column, from the first rows. */
interface ColumnFacts {
  readonly column: string;
  /** In the form of a property's name. */
  readonly name: string;
  readonly values: readonly unknown[];
  readonly isUnique: boolean;
  readonly isFull: boolean;
}

/** Names of columns that are keys, the likeliest first. */
const KEY_NAMES = [
  ...['id', 'key', 'uuid', 'guid', 'arn', 'sid', 'objectid', 'object_id', 'dn', 'distinguished_name'],
  ...['fqdn', 'hostname', 'host_name', 'host', 'serial', 'serial_number', 'email', 'mail', 'login'],
  ...['username', 'user_name', 'user', 'account', 'name', 'ip', 'ip_address', 'address'],
];
const SHOWN_NAMES = ['display_name', 'name', 'title', 'label', 'full_name'];
/** The type of entities, by the name of their key. */
const TYPE_BY_KEY: readonly (readonly [RegExp, string])[] = [
  [/^(?:fqdn|host_?name|host|ip|ip_address|serial(?:_number)?)$/, 'host'],
  [/^(?:email|mail|login|user_?name|user|account|sid)$/, 'user'],
];
/** Words in names of files that do not say what the rows are. */
const FILE_WORDS = new Set(
  'all export exported list report data dump table latest new final copy of and csv tsv json'.split(' '),
);

interface Link {
  readonly names: RegExp;
  readonly verb: string;
  /** The type of the other entity, which `verb` leads to or comes from; neither: the type of the rows. */
  readonly to?: string;
  readonly from?: string;
}

/** Names of columns that have keys of other entities, with verbs of the vocabulary. */
const LINKS: readonly Link[] = [
  { names: /^(?:owners?|owned_by|responsible)$/, verb: 'OWNS', from: 'user' },
  { names: /^(?:manager|managed_by|reports_to|supervisor)$/, verb: 'MANAGES', from: 'user' },
  { names: /^(?:read_by|readable_by)$/, verb: 'CAN_READ', from: 'user' },
  { names: /^(?:written_by|writable_by)$/, verb: 'CAN_WRITE', from: 'user' },
  { names: /^used_by$/, verb: 'USES', from: 'user' },
  { names: /^(?:groups?|member_?of|memberships?)$/, verb: 'MEMBER_OF', to: 'group' },
  { names: /^teams?$/, verb: 'MEMBER_OF', to: 'team' },
  { names: /^roles?$/, verb: 'ASSIGNED', to: 'role' },
  { names: /^department$/, verb: 'MEMBER_OF', to: 'department' },
  { names: /^(?:site|location|datacenter|data_center)$/, verb: 'CONTAINS', from: 'site' },
  { names: /^(?:hosts?|host_?name|server|runs_on)$/, verb: 'RUNS', from: 'host' },
  { names: /^(?:depends_on|dependencies)$/, verb: 'DEPENDS_ON' },
];
const REFERENCE = 'REFERENCES';
const NO_KEYS = new KnownKeys(new Map());
const PLURAL = /s$|of$/;

/**
 * A mapping for the first rows of a table, for people to correct: relationships by the names of columns, and
 * by values that are keys of the graph. `names`: of the file and of its source, which may say what a row is.
 */
export function guessedMapping(
  rows: readonly SourceRow[],
  names: readonly string[],
  known: KnownKeys,
): WrittenMapping {
  const columns = factsOf(rows);
  const owner = ownerOfLinks(columns);
  const key = owner ?? keyOf(columns);
  const type = typeOf(owner === undefined ? names : [], key);
  const rest = columns.filter((each) => each !== key);
  const shown = SHOWN_NAMES.flatMap((name) => rest.filter((each) => each.isFull && isNamed(each, name)));
  const links = rest.flatMap((each) => {
    const link = linkOf(each, type, known);
    return link.length > 0 || each === shown[0] ? link : linkByValues(each, type, known);
  });
  const linked = new Set(links.map(({ column }) => column));
  return {
    type,
    key: key?.column ?? '',
    ...(shown[0] !== undefined && { name: shown[0].column }),
    properties: propertiesOf(rest.filter(({ column }) => !linked.has(column))),
    ...(links.length > 0 && { relationships: links }),
  };
}

/** All columns, in the order in which the rows have them. */
export function columnsOf(rows: readonly SourceRow[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => row.columns()))];
}

function factsOf(rows: readonly SourceRow[]): readonly ColumnFacts[] {
  return columnsOf(rows).map((column) => {
    const values = rows
      .map((row) => row.value(column))
      .filter((value) => value !== undefined && value !== null);
    const distinct = new Set(values);
    const isPlain = values.every((value) => typeof value !== 'object');
    return {
      column,
      name: propertyName(column),
      values,
      isUnique: isPlain && distinct.size === values.length,
      isFull: isPlain && values.length === rows.length,
    };
  });
}

/** The property of a column has another name if that is a field of its own. */
function isNamed({ name }: ColumnFacts, wanted: string): boolean {
  return name === wanted || name === `${wanted}_`;
}

/** Of a list of relationships, with one on each row: the column whose entity the others belong to. */
function ownerOfLinks(columns: readonly ColumnFacts[]): ColumnFacts | undefined {
  const [first, ...others] = columns;
  const isList = first?.isFull === true && !first.isUnique && others.length > 0;
  return isList && others.every((each) => linkOf(each, first.name, NO_KEYS).length > 0) ? first : undefined;
}

/** The likeliest column without gaps and repetitions. */
function keyOf(columns: readonly ColumnFacts[]): ColumnFacts | undefined {
  const rank = ({ name }: ColumnFacts): number => {
    const at = KEY_NAMES.indexOf(name);
    return at < 0 ? KEY_NAMES.length : at;
  };
  const likeliest = (given: readonly ColumnFacts[]): ColumnFacts | undefined =>
    given.toSorted((a, b) => rank(a) - rank(b))[0];
  const full = columns.filter(({ isFull }) => isFull);
  return likeliest(full.filter(({ isUnique }) => isUnique)) ?? likeliest(full) ?? likeliest(columns);
}

/** From the name of a class among the names, else from the first that says something, else from the key. */
function typeOf(names: readonly string[], key: ColumnFacts | undefined): string {
  const named = names.flatMap(typeNamedBy);
  const ofKey = TYPE_BY_KEY.find(([pattern]) => pattern.test(key?.name ?? ''))?.[1];
  return named.find(isTypeOfClass) ?? named[0] ?? ofKey ?? 'record';
}

/** `hosts-2026-01.csv` has hosts. */
function typeNamedBy(name: string): readonly string[] {
  const words = propertyName(name.replace(/\.\w+$/, '')).split('_');
  const telling = words.filter((word) => /^\p{L}{2,}$/u.test(word) && !FILE_WORDS.has(word));
  return telling.length > 0 && telling.length <= 3 ? [singular(telling.join('_'))] : [];
}

function isTypeOfClass(type: string): boolean {
  return isKnownClass(type.replaceAll(/(?:^|_)(\p{L})/gu, (_, letter: string) => letter.toUpperCase()));
}

function singular(word: string): string {
  if (/(?:^|_)people$/.test(word)) return word.replace(/people$/, 'person');
  if (/ies$/.test(word)) return word.replace(/ies$/, 'y');
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

/** What the name of a column says. The type at the other end is the one whose keys its values are. */
function linkOf(
  { column, name, values }: ColumnFacts,
  type: string,
  known: KnownKeys,
): readonly WrittenRelationship[] {
  const link = values.length === 0 ? undefined : namedLink(name, type);
  if (link === undefined) return [];
  const separator = separatorOf(values, PLURAL.test(name));
  const far = known.typeOfMost(values, separator) ?? link.type;
  const end = link.end === 'from' ? { from: far } : { to: far };
  return [{ verb: link.verb, ...end, column, ...(separator !== undefined && { separator }) }];
}

/** Verb, end and type of the other entity, by the name of a column alone. */
function namedLink(
  name: string,
  type: string,
): { readonly verb: string; readonly end: 'from' | 'to'; readonly type: string } | undefined {
  const link = LINKS.find(({ names }) => names.test(name));
  if (link?.from !== undefined) return { verb: link.verb, end: 'from', type: link.from };
  if (link !== undefined) return { verb: link.verb, end: 'to', type: link.to ?? type };
  const other = /^(.+)_(?:id|key)$/.exec(name)?.[1];
  return other === undefined || other === type ? undefined : { verb: REFERENCE, end: 'to', type: other };
}

/**
 * Where the name says no type: it is a verb and most values are keys of one type, or it says nothing and all
 * values are keys of one other type.
 */
function linkByValues(
  { column, name, values }: ColumnFacts,
  type: string,
  known: KnownKeys,
): readonly WrittenRelationship[] {
  const isVerb = isKnownVerb(name);
  const separator = separatorOf(values, isVerb || PLURAL.test(name));
  const to = isVerb ? known.typeOfMost(values, separator) : known.typeOfAll(values, separator);
  if (to === undefined || (to === type && !isVerb)) return [];
  const verb = isVerb ? name.toUpperCase() : REFERENCE;
  return [{ verb, to, column, ...(separator !== undefined && { separator }) }];
}

/** Commas part keys only where the name says that there are several; distinguished names have commas. */
function separatorOf(values: readonly unknown[], arePlural: boolean): string | undefined {
  const texts = values.filter((value) => typeof value === 'string');
  const found = [';', '|'].find((each) => texts.some((text) => text.includes(each)));
  const hasCommas =
    arePlural && texts.some((text) => text.includes(',')) && !texts.some((text) => text.includes('='));
  return found ?? (hasCommas ? ',' : undefined);
}

function propertiesOf(columns: readonly ColumnFacts[]): Record<string, string | ColumnValue> {
  const properties: Record<string, string | ColumnValue> = {};
  for (const { column, name, values } of columns) {
    let free = name;
    for (let count = 2; Object.hasOwn(properties, free); count++) free = `${name}_${count}`;
    const as = kindOf(values);
    properties[free] = as === undefined ? column : { column, as };
  }
  return properties;
}

/** Numbers with leading zeros are names. */
function kindOf(values: readonly unknown[]): ColumnValue['as'] {
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.length === 0 || texts.length < values.length) return undefined;
  if (texts.every((text) => /^-?(?:0|[1-9]\d{0,14})$/.test(text))) return 'integer';
  if (texts.every((text) => /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text))) return 'number';
  return texts.every((text) => /^(?:true|false|yes|no)$/i.test(text)) ? 'boolean' : undefined;
}
