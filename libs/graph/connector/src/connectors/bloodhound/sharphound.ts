/** Files of SharpHound, versions 5 and 6: `{data: […], meta: {type, version, count}}`. */
import { type JsonObject, kindOf } from '#graph/model';
import { misfitIn } from '../document/shape.ts';
import { KINDS_BY_FILE } from './bloodhound-kinds.ts';
import { edgesOf, sessionEdges } from './sharphound-edges.ts';
import { SHARP_HOUND_ITEM } from './shapes.ts';
import { unknownEdgesOf } from './sharphound-unknown.ts';
import { sharpHoundProperties } from './sharphound-properties.ts';
import { lostStatement, principalOf, type Statement } from './statement.ts';

const SESSIONS = 'sessions';
/** A list of ids in place of objects. */
export const DELETED = 'deleted';

export function isSharpHoundType(type: string): boolean {
  return type === SESSIONS || type === DELETED || KINDS_BY_FILE.has(type);
}

/** What the id of an object that was deleted states: nothing. */
export function deletedStatement(id: unknown): Statement {
  if (typeof id !== 'string') return lostStatement(`expected the id of an object, got ${kindOf(id)}`);
  return { objects: [], edges: [], ignored: 'deleted objects' };
}

/** What an object in a file of this type states. */
export function sharpHoundStatement(type: string, item: JsonObject): Statement {
  const lost = misfitIn(item, SHARP_HOUND_ITEM);
  if (type === SESSIONS) return { objects: [], edges: sessionEdges(item), lost };
  const id = item['ObjectIdentifier'];
  if (typeof id !== 'string' || id === '') return lostStatement('it has no ObjectIdentifier');
  if (item['IsDeleted'] === true) return { objects: [], edges: [], ignored: 'deleted objects' };
  const own = principalOf(id, KINDS_BY_FILE.get(type));
  return {
    objects: [{ ...own, properties: sharpHoundProperties(own.kind, item) }],
    edges: edgesOf(own, item),
    unknown: unknownEdgesOf(own, item),
    lost,
  };
}
