import type { EntityState } from '#graph/memory';
import {
  completeEntity,
  createProperties,
  type EntityInput,
  type EntityStatement,
  type Properties,
  type RelationshipInput,
  someLabels,
} from '#graph/model';

/** The entity after a patch: unnamed fields stay, null removes a property. */
export function mergePatch(statement: EntityStatement, live: EntityState | undefined): EntityInput {
  const properties = mergeProperties(live?.properties(), statement.properties);
  if (live === undefined) return { ...completeEntity(statement), properties };
  return {
    type: statement.type,
    key: statement.key,
    class: statement.class ?? live.class,
    displayName: statement.displayName ?? live.displayName,
    labels: statement.labels === undefined ? live.labels : someLabels(statement.labels),
    properties,
  };
}

/** The properties of a relationship after a patch. */
export function mergeProperties(
  old: Properties | undefined,
  patch: RelationshipInput['properties'],
): Properties {
  const merged = createProperties();
  if (old !== undefined) for (const name of Object.keys(old)) merged[name] = old[name] ?? null;
  for (const name of Object.keys(patch)) {
    const value = patch[name] ?? null;
    if (value === null) Reflect.deleteProperty(merged, name);
    else merged[name] = value;
  }
  return merged;
}
