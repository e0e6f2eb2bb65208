/**
 * Owner lists: the ids of the connectors that own a record, sorted, and up to two marks. A record without a
 * record of statements is stated by its source. Its class or display name is not a statement if it equals the
 * default, unless a mark shows that the source stated it explicitly. A connector id has no control character.
 */
import { defaultClass, type EntityStatement } from '#graph/model';

const STATES_CLASS = '\u0001class';
const STATES_NAME = '\u0001display_name';

/** The explicitly stated defaults: bit 0 the class, bit 1 the display name. */
export type ExplicitFields = number;
export const CLASS_BIT = 1;
export const NAME_BIT = 2;

/** The connectors without the marks. */
export function connectorsOf(owners: readonly string[]): readonly string[] {
  return owners.some(isMark) ? owners.filter((owner) => !isMark(owner)) : owners;
}

export function spelledOutIn(owners: readonly string[]): ExplicitFields {
  return (owners.includes(STATES_CLASS) ? CLASS_BIT : 0) | (owners.includes(STATES_NAME) ? NAME_BIT : 0);
}

/** The defaults that a statement contains explicitly. */
export function spelledOutBy(statement: EntityStatement): ExplicitFields {
  const { type, key, class: name, displayName } = statement;
  const namesClass = name !== undefined && name === defaultClass(type);
  return (namesClass ? CLASS_BIT : 0) | (displayName === key ? NAME_BIT : 0);
}

/** The connectors with the marks, sorted. */
export function marked(connectors: readonly string[], spelledOut: ExplicitFields): readonly string[] {
  const marks = [
    ...((spelledOut & CLASS_BIT) === 0 ? [] : [STATES_CLASS]),
    ...((spelledOut & NAME_BIT) === 0 ? [] : [STATES_NAME]),
  ];
  return Object.freeze([...marks, ...connectors].sort());
}

function isMark(owner: string): boolean {
  return owner.charCodeAt(0) === 1;
}
