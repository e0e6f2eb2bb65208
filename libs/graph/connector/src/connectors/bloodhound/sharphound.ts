/** Files of SharpHound, versions 5 and 6: `{data: […], meta: {type, version, count}}`. */
import { isJsonObject, type JsonObject, kindOf } from '#graph/model';
import { misfitIn, unknownNames, withNamesOf } from '../document/shape.ts';
import { KINDS_BY_FILE } from './bloodhound-kinds.ts';
import { edgesOf, localGroup, PRIVILEGES, sessionEdges } from './sharphound-edges.ts';
import { SHARP_HOUND_ITEM } from './shapes.ts';
import { unknownEdgesOf } from './sharphound-unknown.ts';
import { sharpHoundProperties } from './sharphound-properties.ts';
import { lostStatement, principalOf, type StatedObject, type Statement } from './statement.ts';

const SESSIONS = 'sessions';
/** A list of ids in place of objects. */
export const DELETED = 'deleted';

export function isSharpHoundType(type: string): boolean {
  return type === SESSIONS || type === DELETED || KINDS_BY_FILE.has(type);
}

/** What the id of an object that was deleted states: nothing. */
export function deletedStatement(id: unknown): Statement {
  if (typeof id !== 'string') return lostStatement(`expected the id of an object, got ${kindOf(id)}`);
  return { objects: [], edges: [], ignored: ['deleted objects'] };
}

/** What an object in a file of this type states. */
export function sharpHoundStatement(type: string, given: JsonObject): Statement {
  const item = withNamesOf(given, SHARP_HOUND_ITEM) as JsonObject;
  const lost = misfitIn(item, SHARP_HOUND_ITEM);
  if (type === SESSIONS) return { objects: [], edges: sessionEdges(item), lost };
  const id = item['ObjectIdentifier'];
  if (typeof id !== 'string' || id === '') return lostStatement('it has no ObjectIdentifier');
  if (item['IsDeleted'] === true) return { objects: [], edges: [], ignored: ['deleted objects'] };
  const own = principalOf(id, KINDS_BY_FILE.get(type));
  return {
    objects: [{ ...own, properties: sharpHoundProperties(own.kind, item) }, ...localGroupsOf(item)],
    edges: edgesOf(own, item),
    unknown: unknownEdgesOf(own, item),
    ignored: unreadOf(item),
    lost,
  };
}

/** The groups of a computer. Those of a domain controller are groups of the domain, which say more. */
function localGroupsOf(item: JsonObject): readonly StatedObject[] {
  return objectsIn(item['LocalGroups']).flatMap((group) => {
    const own = localGroup(group);
    return own === undefined ? [] : [{ ...own, properties: {}, isPart: true }];
  });
}

/** What newer collectors write, by its name. */
function unreadOf(item: JsonObject): readonly string[] {
  const rights = objectsIn(item['UserRights']).filter(({ Privilege }) => !PRIVILEGES.has(Privilege));
  const names = rights.map(({ Privilege }) => `right ${String(Privilege)}`);
  const fields = unknownNames(item, SHARP_HOUND_ITEM).map((name) => `field ${name}`);
  return [...fields, ...names].map((each) => `SharpHound's ${each.slice(0, 60)}`);
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
