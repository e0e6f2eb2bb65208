/**
 * Names with a meaning of their own. Cypher may write properties of any name; a query takes `class`,
 * `display_name` and names that start with `_` for fields of the record, so that such properties have another
 * field name: `properties._module_name`.
 */

/** The type of an entity without labels. As a label: the type of the entity is no label of it. */
export const UNLABELLED = '_';

const PREFIX = 'properties.';
const UNDERSCORE = 0x5f;

/** Whether a property of this name is not a field of the same name. */
export function isReservedName(name: string): boolean {
  let from = 0;
  while (name.startsWith(PREFIX, from)) from += PREFIX.length;
  if (name.charCodeAt(from) === UNDERSCORE) return true;
  const own = from === 0 ? name : name.slice(from);
  return own === 'class' || own === 'display_name';
}

/** The field of a property, by which queries and indexes know it. */
export function fieldOfProperty(name: string): string {
  return isReservedName(name) ? PREFIX + name : name;
}

/** The property of a field; undefined for a field of the record itself. */
export function propertyOfField(field: string): string | undefined {
  if (!isReservedName(field)) return field;
  return field.startsWith(PREFIX) ? field.slice(PREFIX.length) : undefined;
}
