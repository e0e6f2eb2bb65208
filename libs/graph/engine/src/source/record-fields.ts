/**
 * Converts records to the flat fields of a {@link Statement}, and back. Default classes and names are not
 * stated. A property with a reserved name has the field by which queries read it.
 */
import {
  completeEntity,
  createProperties,
  type EntityInput,
  type EntityStatement,
  fieldOfProperty,
  createKinds,
  type Properties,
  type PropertyKinds,
  propertyOfField,
  type PropertyValue,
  type RelationshipInput,
  someKinds,
  someLabels,
  type StoredKind,
} from '#graph/model';

/** A value with a kind that its JSON does not tell. */
export interface KindedValue {
  readonly kind: StoredKind;
  readonly value: PropertyValue;
}

/** What a source states about a record, by field. */
export type StatedFields = Readonly<Record<string, PropertyValue | KindedValue>>;

const CLASS = 'class';
const DISPLAY_NAME = 'display_name';
const LABELS = '_labels';
const VERB = '_verb';

/** The fields of a statement of an entity; an empty list of labels is null. */
export function entityFields(statement: EntityStatement): StatedFields {
  const fields = fieldsOf(statement.properties, statement.kinds);
  if (statement.class !== undefined) fields[CLASS] = statement.class;
  if (statement.displayName !== undefined) fields[DISPLAY_NAME] = statement.displayName;
  if (statement.labels !== undefined) fields[LABELS] = someLabels(statement.labels) ?? null;
  return fields;
}

/** The entity with these fields, completed by defaults. */
export function entityOf(type: string, key: string, fields: StatedFields): EntityInput {
  const { [CLASS]: name, [DISPLAY_NAME]: displayName } = fields;
  return completeEntity({
    type,
    key,
    class: textOf(name),
    displayName: textOf(displayName),
    labels: labelsOf(fields),
    properties: propertiesOf(fields),
    kinds: kindsOf(fields),
  });
}

export function relationshipFields(
  verb: string,
  { properties, kinds }: Pick<RelationshipInput, 'properties' | 'kinds'>,
): StatedFields {
  const fields = fieldsOf(properties, kinds);
  fields[VERB] = verb;
  return fields;
}

/** The verb in the source's spelling. */
export function verbOf(fields: StatedFields): string {
  return textOf(fields[VERB]) ?? '';
}

/** The stated class and display name. */
export function namesOf(fields: StatedFields): {
  readonly class: string | undefined;
  readonly displayName: string | undefined;
} {
  return { class: textOf(fields[CLASS]), displayName: textOf(fields[DISPLAY_NAME]) };
}

/** The stated labels; undefined if none are stated. */
export function labelsOf(fields: StatedFields): readonly string[] | undefined {
  const labels = fields[LABELS];
  return Array.isArray(labels) ? (labels as readonly string[]) : undefined;
}

/** The properties only, without class, display name, labels and verb. */
export function propertiesOf(fields: StatedFields): Properties {
  const properties = createProperties();
  for (const field of Object.keys(fields)) {
    const name = propertyOfField(field);
    if (name !== undefined) properties[name] = shown(fields[field]);
  }
  return properties;
}

/** The kinds of the properties. */
export function kindsOf(fields: StatedFields): PropertyKinds | undefined {
  const kinds = createKinds();
  for (const [field, value] of Object.entries(fields)) {
    const name = propertyOfField(field);
    if (name !== undefined && isKinded(value)) kinds[name] = value.kind;
  }
  return someKinds(kinds);
}

/** The fields of a source that states all of them: no labels are no field. */
export function wholeFields(fields: StatedFields): StatedFields {
  if (fields[LABELS] !== null) return fields;
  const stated = copyOf(fields);
  Reflect.deleteProperty(stated, LABELS);
  return stated;
}

/** The fields of a source after a patch: unnamed fields stay, null removes a property or the labels. */
export function patchedFields(old: StatedFields | undefined, patch: StatedFields): StatedFields {
  const fields = copyOf(old ?? createProperties());
  for (const name of Object.keys(patch)) {
    const value = patch[name] ?? null;
    if (value === null) Reflect.deleteProperty(fields, name);
    else fields[name] = value;
  }
  return fields;
}

function fieldsOf(properties: Properties, kinds: PropertyKinds | undefined): Fields {
  const fields: Fields = createProperties();
  for (const name of Object.keys(properties)) {
    const value = properties[name] ?? null;
    const kind = kinds?.[name];
    fields[fieldOfProperty(name)] = kind === undefined ? value : { kind, value };
  }
  return fields;
}

type Fields = Record<string, PropertyValue | KindedValue>;

function copyOf(fields: StatedFields): Fields {
  const copy: Fields = createProperties();
  for (const name of Object.keys(fields)) copy[name] = fields[name] ?? null;
  return copy;
}

function isKinded(value: PropertyValue | KindedValue | undefined): value is KindedValue {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function shown(value: PropertyValue | KindedValue | undefined): PropertyValue {
  return isKinded(value) ? value.value : (value ?? null);
}

function textOf(value: PropertyValue | KindedValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
