import {
  completeEntity,
  createKinds,
  createProperties,
  type EntityInput,
  type EntityStatement,
  type Properties,
  type PropertyKinds,
  type RelationshipInput,
  someKinds,
  someLabels,
} from '#graph/model';
import type { EntityState, RelationshipState } from '#graph/memory';

/** Properties, and the kinds of those whose JSON does not tell it. */
export type PatchedContent = Pick<RelationshipInput, 'properties' | 'kinds'>;

/** The entity after a patch: unnamed fields stay, null removes a property. */
export function mergePatch(statement: EntityStatement, live: EntityState | undefined): EntityInput {
  const content = mergeContent(live, statement);
  if (live === undefined) return { ...completeEntity(statement), ...content };
  return {
    type: statement.type,
    key: statement.key,
    class: statement.class ?? live.class,
    displayName: statement.displayName ?? live.displayName,
    labels: statement.labels === undefined ? live.labels : someLabels(statement.labels),
    ...content,
  };
}

/** The properties after a patch. */
export function mergeContent(
  live: EntityState | RelationshipState | undefined,
  patch: PatchedContent,
): PatchedContent {
  const properties = mergeProperties(live?.properties(), patch.properties);
  return { properties, kinds: mergeKinds(live?.kinds(), patch) };
}

function mergeProperties(old: Properties | undefined, patch: Properties): Properties {
  const merged = createProperties();
  if (old !== undefined) for (const name of Object.keys(old)) merged[name] = old[name] ?? null;
  for (const name of Object.keys(patch)) {
    const value = patch[name] ?? null;
    if (value === null) Reflect.deleteProperty(merged, name);
    else merged[name] = value;
  }
  return merged;
}

function mergeKinds(
  old: PropertyKinds | undefined,
  { properties, kinds }: PatchedContent,
): PropertyKinds | undefined {
  if (old === undefined) return kinds;
  const merged = createKinds();
  for (const [name, kind] of Object.entries(old)) if (!Object.hasOwn(properties, name)) merged[name] = kind;
  for (const [name, kind] of Object.entries(kinds ?? {})) merged[name] = kind;
  return someKinds(merged);
}
