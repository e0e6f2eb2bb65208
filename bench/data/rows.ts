import { idOf, type Dataset, type EntityBody, type RelationshipBody } from './dataset.ts';

/**
 * The row of an entity for a target: the ingest body, and columns that a relational schema would have anyway.
 */
export interface EntityRow {
  readonly index: number;
  readonly id: string;
  readonly body: EntityBody;
}

/** The row of a relationship for a target; `kind` is the number of its verb. */
export interface LinkRow {
  readonly from: number;
  readonly to: number;
  readonly kind: number;
  readonly body: RelationshipBody;
}

/** The record that every target stores and returns, field by field the same as the answer of Plexus. */
export interface EntityRecord {
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly key: string;
  readonly display_name: string;
  readonly properties: EntityBody['properties'];
  readonly source: { readonly connector_id: string; readonly sync_id: string; readonly synced_at: string };
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_seen_at: string;
  readonly deleted_at: null;
  readonly version: number;
}

export const LOADED_AT = '2026-01-02T03:04:05.678Z';
export const SOURCE: EntityRecord['source'] = {
  connector_id: 'bench',
  sync_id: 'load',
  synced_at: LOADED_AT,
};

export function entityRows(data: Dataset, start: number, end: number): EntityRow[] {
  const rows: EntityRow[] = [];
  for (let index = start; index < end; index++) {
    rows.push({ index, id: data.idAt(index), body: data.entity(index) });
  }
  return rows;
}

export function linkRows(data: Dataset, start: number, end: number): LinkRow[] {
  const rows: LinkRow[] = [];
  const { from, to, kind } = data.links;
  for (let link = start; link < end; link++) {
    rows.push({
      from: from[link] ?? 0,
      to: to[link] ?? 0,
      kind: kind[link] ?? 0,
      body: data.relationship(link),
    });
  }
  return rows;
}

/** A row of a separate type, so that writing it changes no answer. */
export function probeRow(data: Dataset, ordinal: number): EntityRow {
  const index = data.entityCount + ordinal;
  const key = `probe-${ordinal.toString().padStart(7, '0')}`;
  return {
    index,
    id: idOf('probe', key),
    body: { ...data.entity(index), type: 'probe', class: 'Record', key },
  };
}

export function recordOf({ id, body }: EntityRow): EntityRecord {
  return {
    id,
    type: body.type,
    class: body.class,
    key: body.key,
    display_name: body.key,
    properties: body.properties,
    source: SOURCE,
    created_at: LOADED_AT,
    updated_at: LOADED_AT,
    last_seen_at: LOADED_AT,
    deleted_at: null,
    version: 1,
  };
}
