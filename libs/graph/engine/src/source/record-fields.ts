/** Records as the flat fields of a {@link Statement}, and back. A default class or name is no statement. */
import {
  completeEntity,
  createProperties,
  type EntityInput,
  type EntityStatement,
  type Properties,
  type PropertyValue,
} from '#graph/model';

const CLASS = 'class';
const DISPLAY_NAME = 'display_name';
const VERB = '_verb';

/** What a statement of an entity says. */
export function entityFields(statement: EntityStatement): Properties {
  const fields = copyOf(statement.properties);
  if (statement.class !== undefined) fields[CLASS] = statement.class;
  if (statement.displayName !== undefined) fields[DISPLAY_NAME] = statement.displayName;
  return fields;
}

/** The entity that fields make, with the defaults for what they leave out. */
export function entityOf(type: string, key: string, fields: Properties): EntityInput {
  const { [CLASS]: name, [DISPLAY_NAME]: displayName } = fields;
  return completeEntity({
    type,
    key,
    class: textOf(name),
    displayName: textOf(displayName),
    properties: propertiesOf(fields),
  });
}

export function relationshipFields(verb: string, properties: Properties): Properties {
  const fields = copyOf(properties);
  fields[VERB] = verb;
  return fields;
}

/** The verb as a source writes it. */
export function verbOf(fields: Properties): string {
  return textOf(fields[VERB]) ?? '';
}

/** The class and display name that fields state. */
export function namesOf(fields: Properties): {
  readonly class: string | undefined;
  readonly displayName: string | undefined;
} {
  return { class: textOf(fields[CLASS]), displayName: textOf(fields[DISPLAY_NAME]) };
}

/** Without the fields that are the record's own. */
export function propertiesOf(fields: Properties): Properties {
  const properties = copyOf(fields);
  for (const name of [CLASS, DISPLAY_NAME, VERB]) Reflect.deleteProperty(properties, name);
  return properties;
}

/** What a source states after a patch: what is not named stays, null removes a property. */
export function patchedFields(old: Properties | undefined, patch: Properties): Properties {
  const fields = copyOf(old ?? createProperties());
  for (const name of Object.keys(patch)) {
    const value = patch[name] ?? null;
    if (value === null) Reflect.deleteProperty(fields, name);
    else fields[name] = value;
  }
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
