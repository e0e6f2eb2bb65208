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
  type Properties,
  propertyOfField,
  type PropertyValue,
  someLabels,
} from '#graph/model';

const CLASS = 'class';
const DISPLAY_NAME = 'display_name';
const LABELS = '_labels';
const VERB = '_verb';

/** The fields of a statement of an entity; an empty list of labels is null. */
export function entityFields(statement: EntityStatement): Properties {
  const fields = fieldsOf(statement.properties);
  if (statement.class !== undefined) fields[CLASS] = statement.class;
  if (statement.displayName !== undefined) fields[DISPLAY_NAME] = statement.displayName;
  if (statement.labels !== undefined) fields[LABELS] = someLabels(statement.labels) ?? null;
  return fields;
}

/** The entity with these fields, completed by defaults. */
export function entityOf(type: string, key: string, fields: Properties): EntityInput {
  const { [CLASS]: name, [DISPLAY_NAME]: displayName } = fields;
  return completeEntity({
    type,
    key,
    class: textOf(name),
    displayName: textOf(displayName),
    labels: labelsOf(fields),
    properties: propertiesOf(fields),
  });
}

export function relationshipFields(verb: string, properties: Properties): Properties {
  const fields = fieldsOf(properties);
  fields[VERB] = verb;
  return fields;
}

/** The verb in the source's spelling. */
export function verbOf(fields: Properties): string {
  return textOf(fields[VERB]) ?? '';
}

/** The stated class and display name. */
export function namesOf(fields: Properties): {
  readonly class: string | undefined;
  readonly displayName: string | undefined;
} {
  return { class: textOf(fields[CLASS]), displayName: textOf(fields[DISPLAY_NAME]) };
}

/** The stated labels; undefined if none are stated. */
export function labelsOf(fields: Properties): readonly string[] | undefined {
  const labels = fields[LABELS];
  return Array.isArray(labels) ? (labels as readonly string[]) : undefined;
}

/** The properties only, without class, display name, labels and verb. */
export function propertiesOf(fields: Properties): Properties {
  const properties = createProperties();
  for (const field of Object.keys(fields)) {
    const name = propertyOfField(field);
    if (name !== undefined) properties[name] = fields[field] ?? null;
  }
  return properties;
}

/** The fields of a source that states all of them: no labels are no field. */
export function wholeFields(fields: Properties): Properties {
  if (fields[LABELS] !== null) return fields;
  const stated = copyOf(fields);
  Reflect.deleteProperty(stated, LABELS);
  return stated;
}

/** The fields of a source after a patch: unnamed fields stay, null removes a property or the labels. */
export function patchedFields(old: Properties | undefined, patch: Properties): Properties {
  const fields = copyOf(old ?? createProperties());
  for (const name of Object.keys(patch)) {
    const value = patch[name] ?? null;
    if (value === null) Reflect.deleteProperty(fields, name);
    else fields[name] = value;
  }
  return fields;
}

function fieldsOf(properties: Properties): Record<string, PropertyValue> {
  const fields = createProperties();
  for (const name of Object.keys(properties)) fields[fieldOfProperty(name)] = properties[name] ?? null;
  return fields;
}

function copyOf(properties: Properties): Record<string, PropertyValue> {
  const copy = createProperties();
  for (const name of Object.keys(properties)) copy[name] = properties[name] ?? null;
  return copy;
}

function textOf(value: PropertyValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
