import type { EntityInput, EntityKey } from '#graph/model';
import { guidText } from './binary-ids.ts';
import { normalName } from './distinguished-name.ts';
import { type Entry, ldapText } from './ldap-message.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Not an option of a value, but a part of a long list. */
const RANGE = /;range=/;

/** The attributes of {@link entryKey}; servers return `entryUUID` only on request. */
export const KEY_ATTRIBUTES = ['entryUUID', 'objectGUID'];

/** An entity's key: an identifier that survives renaming, or the name if the server has none. */
export function entryKey(entry: Entry): string {
  const uuid = textOf(entry, 'entryUUID');
  if (uuid !== undefined && UUID.test(uuid)) return uuid.toLowerCase();
  const guid = bytesOf(entry, 'objectGUID');
  return (guid && guidText(guid)) ?? normalName(entry.dn);
}

/**
 * The values of an attribute as text; invalid bytes are escaped. Attribute names are case-insensitive. Values
 * with options, such as languages (`displayName;lang-de`), follow those without.
 */
export function textsOf(entry: Entry, attribute: string): readonly string[] {
  return allBytesOf(entry, attribute)
    .map(ldapText)
    .filter((text) => text !== '');
}

export function bytesOf(entry: Entry, attribute: string): Buffer | undefined {
  return allBytesOf(entry, attribute)[0];
}

export function allBytesOf({ attributes }: Entry, attribute: string): readonly Buffer[] {
  const name = attribute.toLowerCase();
  const withOptions = [...attributes.keys()].filter((key) => key.startsWith(`${name};`) && !RANGE.test(key));
  return [name, ...withOptions.sort()].flatMap((key) => attributes.get(key) ?? []);
}

/** The first value. */
export function textOf(entry: Entry, attribute: string): string | undefined {
  return textsOf(entry, attribute)[0];
}

/** Entities by their names in a directory. Several entities may share a name. */
export class KnownEntries {
  readonly #byName = new Map<string, EntityKey[]>();

  constructor(entities: Iterable<EntityInput>, namesOf: (entity: EntityInput) => readonly string[]) {
    for (const entity of entities) {
      const key = { type: entity.type, key: entity.key };
      for (const name of new Set(namesOf(entity))) {
        const sameName = this.#byName.get(name);
        if (sameName === undefined) this.#byName.set(name, [key]);
        else sameName.push(key);
      }
    }
  }

  find(name: string): readonly EntityKey[] {
    return this.#byName.get(name) ?? [];
  }
}

/** The values of a property with none, one or many. */
export function namesIn({ properties }: EntityInput, property: string): readonly string[] {
  const value = properties[property];
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}
