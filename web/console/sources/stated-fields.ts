import type { EntityWithSourcesDto } from '../api/generated/types.gen.ts';

/** A field of an entity: the value in the record, its source, and differing values of other sources. */
export interface StatedField {
  readonly name: string;
  readonly value: unknown;
  readonly by: readonly string[];
  readonly others: readonly { readonly connectorId: string; readonly value: unknown }[];
}

type Entity = Pick<EntityWithSourcesDto, 'class' | 'display_name' | 'labels' | 'properties' | 'sources'>;
type Statement = NonNullable<Entity['sources']>[number];

/** Class, display name and labels first, then the properties by name. */
export function statedFields({ sources = [], ...entity }: Entity): readonly StatedField[] {
  const names = Object.keys(entity.properties).sort((a, b) => (a < b ? -1 : 1));
  return [
    stated('class', entity.class, sources, ({ class: className }) => className),
    stated('display_name', entity.display_name, sources, ({ display_name: name }) => name),
    ...(sources.some(({ labels }) => labels !== undefined)
      ? [stated('labels', entity.labels, sources, ({ labels }) => labels)]
      : []),
    ...names.map((name) =>
      stated(name, entity.properties[name], sources, ({ properties }) => properties[name]),
    ),
  ];
}

function stated(
  name: string,
  value: unknown,
  sources: readonly Statement[],
  read: (source: Statement) => unknown,
): StatedField {
  const said = sources
    .map((source) => ({ connectorId: source.connector_id, value: read(source) }))
    .filter((statement) => statement.value !== undefined);
  const isShown = (statement: { readonly value: unknown }): boolean =>
    JSON.stringify(statement.value) === JSON.stringify(value);
  return {
    name,
    value,
    by: said.filter(isShown).map(({ connectorId }) => connectorId),
    others: said.filter((statement) => !isShown(statement)),
  };
}
