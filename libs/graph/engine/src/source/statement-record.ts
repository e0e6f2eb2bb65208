/**
 * The stored statements on one record: JSON `{"format": 1, "sources": […]}`. Each source has `connector_id`,
 * `sync_id`, `since` (ms), `order`, `fields`, and `earlier` and `overrides` if not empty.
 */
import { createProperties } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { StatedFields } from './record-fields.ts';
import type { Statement } from './statement.ts';

const FORMAT = 1;

interface StoredStatement {
  readonly connector_id: string;
  readonly sync_id: string;
  readonly since: number;
  readonly order: number;
  readonly fields: StatedFields;
  readonly earlier?: Readonly<Record<string, number>>;
  readonly overrides?: readonly string[];
}

export function encodeStatements(statements: readonly Statement[]): string {
  return JSON.stringify({ format: FORMAT, sources: statements.map(storedStatement) });
}

/** Throws STORE_TOO_NEW for another format. */
export function decodeStatements(text: string): readonly Statement[] {
  const { format, sources } = JSON.parse(text) as { format: number; sources: readonly StoredStatement[] };
  if (format !== FORMAT) {
    throw new DomainError('STORE_TOO_NEW', `statement format ${String(format)} is not known`);
  }
  return sources.map((stored) => ({
    connectorId: stored.connector_id,
    syncId: stored.sync_id,
    sinceMs: stored.since,
    order: stored.order,
    fields: ownFields(stored.fields),
    earlier: stored.earlier ?? {},
    overrides: stored.overrides ?? [],
  }));
}

/** The record of a source: JSON `{"priority": n}`. */
export function encodePriority(priority: number): Uint8Array {
  return Buffer.from(JSON.stringify({ priority }), 'utf8');
}

export function decodePriority(value: Uint8Array): number {
  return (JSON.parse(Buffer.from(value).toString('utf8')) as { priority: number }).priority;
}

function storedStatement(statement: Statement): StoredStatement {
  const { connectorId, syncId, sinceMs, order, fields, earlier, overrides = [] } = statement;
  return {
    connector_id: connectorId,
    sync_id: syncId,
    since: sinceMs,
    order,
    fields,
    ...(Object.keys(earlier).length > 0 && { earlier }),
    ...(overrides.length > 0 && { overrides }),
  };
}

function ownFields(stored: StatedFields): StatedFields {
  const fields: Record<string, StatedFields[string]> = createProperties();
  for (const name of Object.keys(stored)) fields[name] = stored[name] ?? null;
  return fields;
}
