/** A mapping as a form has it: what each column is. */
export const ROLES = ['key', 'property', 'relationship', 'left out'] as const;
export type ColumnRole = (typeof ROLES)[number];
export const KINDS = ['as it is', 'text', 'integer', 'number', 'boolean', 'list'] as const;
export type ColumnKind = (typeof KINDS)[number];

export interface ColumnDraft {
  readonly column: string;
  role: ColumnRole;
  /** Of a property. */
  name: string;
  kind: ColumnKind;
  /** Of a relationship: its direction, verb and the type of the other entity. */
  direction: 'to' | 'from';
  verb: string;
  type: string;
  separator: string;
}

export interface MappingDraft {
  type: string;
  columns: ColumnDraft[];
}

interface Relationship {
  readonly verb: string;
  readonly to?: string;
  readonly from?: string;
  readonly column: string;
  readonly separator?: string;
}

type Property = string | { readonly column: string; readonly as?: ColumnKind; readonly separator?: string };

/** The parts of a mapping that the form edits; others are kept. */
export interface Mapping {
  readonly type: string | object;
  readonly key: string | readonly string[];
  readonly properties?: Readonly<Record<string, Property>>;
  readonly relationships?: readonly Relationship[];
}

/** A column in several places of the mapping has the first one: the key, a relationship, a property. */
export function draftOf(mapping: Mapping, columns: readonly string[]): MappingDraft {
  const { type, key, properties = {}, relationships = [] } = mapping;
  const keys = typeof key === 'string' ? [key] : key;
  const named = Object.entries(properties).map(([name, from]) => ({
    name,
    ...(typeof from === 'string' ? { column: from } : from),
  }));
  return {
    type: typeof type === 'string' ? type : '',
    columns: columns.map((column) => {
      const link = relationships.find((each) => each.column === column);
      const property = named.find((each) => each.column === column);
      const places = {
        isKey: keys.includes(column),
        isLink: link !== undefined,
        isNamed: property !== undefined,
      };
      return {
        column,
        role: roleOf(places),
        ...partsOfProperty(column, property),
        ...partsOfLink(link, property),
      };
    }),
  };
}

interface NamedProperty {
  readonly name: string;
  readonly as?: ColumnKind;
  readonly separator?: string;
}

function partsOfProperty(
  column: string,
  property: NamedProperty | undefined,
): Pick<ColumnDraft, 'name' | 'kind'> {
  return { name: property?.name ?? column, kind: property?.as ?? 'as it is' };
}

function partsOfLink(
  link: Relationship | undefined,
  property: NamedProperty | undefined,
): Pick<ColumnDraft, 'direction' | 'verb' | 'type' | 'separator'> {
  const separator = property?.separator ?? '';
  if (link === undefined) return { direction: 'to', verb: 'REFERENCES', type: '', separator };
  const { to, from, verb } = link;
  const direction = from === undefined ? 'to' : 'from';
  return { direction, verb, type: to ?? from ?? '', separator: link.separator ?? separator };
}

interface Places {
  readonly isKey: boolean;
  readonly isLink: boolean;
  readonly isNamed: boolean;
}

function roleOf({ isKey, isLink, isNamed }: Places): ColumnRole {
  if (isKey) return 'key';
  if (isLink) return 'relationship';
  return isNamed ? 'property' : 'left out';
}

/** The mapping of the form, with the parts of `before` that the form does not show. */
export function mappingOf({ type, columns }: MappingDraft, before: Mapping): Mapping {
  const keys = columns.filter(({ role }) => role === 'key').map(({ column }) => column);
  const properties = columns
    .filter(({ role }) => role === 'property')
    .map(({ column, name, kind, separator }): [string, Property] => {
      if (kind === 'as it is') return [name, column];
      return [name, { column, as: kind, ...(kind === 'list' && separator !== '' && { separator }) }];
    });
  const relationships = columns
    .filter(({ role }) => role === 'relationship')
    .map(({ column, verb, direction, type: far, separator }) => ({
      verb,
      ...(direction === 'to' ? { to: far } : { from: far }),
      column,
      ...(separator !== '' && { separator }),
    }));
  return {
    ...before,
    type: typeof before.type === 'string' ? type : before.type,
    key: keys.length === 1 ? (keys[0] ?? '') : keys,
    properties: Object.fromEntries(properties),
    relationships,
  };
}
