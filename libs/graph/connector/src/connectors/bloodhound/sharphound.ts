/** Files of SharpHound, versions 5 and 6: `{data: […], meta: {type, version, count}}`. */
import { isJsonObject, type JsonObject } from '#graph/model';
import { misfitIn } from '../document/shape.ts';
import { KINDS_BY_FILE } from './bloodhound-kinds.ts';
import { edgesOf, sessionEdges } from './sharphound-edges.ts';
import { SHARP_HOUND_ITEM } from './shapes.ts';
import { unknownEdgesOf } from './sharphound-unknown.ts';
import { lostStatement, principalOf, type Statement, upperProperties } from './statement.ts';

const SESSIONS = 'sessions';

export function isSharpHoundType(type: string): boolean {
  return type === SESSIONS || KINDS_BY_FILE.has(type);
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
    objects: [{ ...own, properties: propertiesOf(own.kind, item) }],
    edges: edgesOf(own, item),
    unknown: unknownEdgesOf(own, item),
    lost,
  };
}

/** With what BloodHound adds of the object's other fields, since its questions ask for it. */
function propertiesOf(kind: string, item: JsonObject): JsonObject {
  const properties = isJsonObject(item['Properties']) ? item['Properties'] : {};
  const entries: readonly unknown[] = Array.isArray(item['Aces']) ? item['Aces'] : [];
  const owner = entries.filter(isJsonObject).find(({ RightName }) => RightName === 'Owns')?.['PrincipalSID'];
  return {
    ...upperProperties(properties),
    ...(typeof item['IsDC'] === 'boolean' && { isdc: item['IsDC'] }),
    ...(typeof owner === 'string' && { ownersid: owner.toUpperCase() }),
    ...(kind === 'Domain' && { collected: true }),
  };
}
