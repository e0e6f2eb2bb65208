import { DomainError } from '#platform/foundation';
import { type EntityDraft, type RelationshipDraft, type StepContext } from '../../run/step.ts';
import { CellFault, cellTexts, cellValue, scalarText } from './cell-value.ts';
import { propertyName, typeName } from './column-names.ts';
import { KEY_SEPARATOR, linkingColumns, type RecordMapping } from './record-mapping.ts';
import { type BadRow, isBadRow, type SourceRow } from './source-row.ts';

/** Faults of one record; others, such as too many records, concern the run. */
const ROW_FAULTS: ReadonlySet<string> = new Set(['INVALID_REQUEST', 'NESTED_PROPERTY', 'DUPLICATE_KEY']);

type Emitter = Pick<StepContext<unknown>, 'emitEntity' | 'emitRelationship' | 'has'>;

/** Makes entities and relationships of rows. A row that cannot be understood is refused as a whole. */
export class RowReader {
  rowCount = 0;
  readonly #mapping: RecordMapping;
  readonly #emitter: Emitter;
  readonly #onBad: (row: BadRow) => void;
  readonly #linking: ReadonlySet<string>;
  /** Keys of other ends by type, which rows may still state. */
  readonly #ends = new Map<string, Set<string>>();
  readonly #nameByColumn = new Map<string, string>();

  constructor(mapping: RecordMapping, emitter: Emitter, onBad: (row: BadRow) => void) {
    this.#mapping = mapping;
    this.#emitter = emitter;
    this.#onBad = onBad;
    this.#linking = linkingColumns(mapping);
  }

  read(row: SourceRow | BadRow): void {
    if (isBadRow(row)) {
      this.#onBad(row);
      return;
    }
    try {
      const entity = this.#entity(row);
      const relationships = [...this.#relationships(row, entity)];
      this.#emitter.emitEntity(entity);
      for (const relationship of relationships) this.#emitter.emitRelationship(relationship);
      this.rowCount++;
    } catch (error) {
      this.#onBad({ place: row.place, fault: faultOf(error) });
    }
  }

  /** Creates the other ends that no row has stated. */
  finish(): void {
    for (const [type, keys] of this.#ends)
      for (const key of keys) if (!this.#emitter.has(type, key)) this.#emitter.emitEntity({ type, key });
  }

  #entity(row: SourceRow): EntityDraft {
    const { type, class: className, name } = this.#mapping;
    const shown = name === undefined ? undefined : textIn(row, name);
    return {
      type: typeof type === 'string' ? type : typeName(requiredText(row, type.column)),
      key: this.#key(row),
      class: className,
      display_name: shown,
      properties: this.#properties(row),
    };
  }

  #key(row: SourceRow): string {
    const { key } = this.#mapping;
    const parts = key.map((column) => requiredText(row, column));
    if (parts.length === 1) return parts.join('');
    // Otherwise `a/b` and `c` would be one key with `a` and `b/c`.
    return parts.map((part) => part.replaceAll('%', '%25').replaceAll('/', '%2F')).join(KEY_SEPARATOR);
  }

  #properties(row: SourceRow): Record<string, unknown> {
    const { properties } = this.#mapping;
    if (properties !== undefined) {
      const entries = Object.entries(properties).map(([name, { column, ...how }]) => [
        name,
        inColumn(column, () => cellValue(row.value(column), how)),
      ]);
      return Object.fromEntries(entries) as Record<string, unknown>;
    }
    const found = new Map<string, unknown>();
    for (const column of row.columns()) {
      if (this.#linking.has(column)) continue;
      const name = this.#nameByColumn.get(column) ?? propertyName(column);
      this.#nameByColumn.set(column, name);
      if (found.has(name))
        throw new CellFault(`two columns would be the property ${name}; name them in properties`);
      found.set(
        name,
        inColumn(column, () => cellValue(row.value(column), {})),
      );
    }
    return Object.fromEntries(found);
  }

  *#relationships(row: SourceRow, { type, key }: EntityDraft): Iterable<RelationshipDraft> {
    for (const { column, separator, verb, end, creates, ...other } of this.#mapping.relationships) {
      for (const target of inColumn(column, () => cellTexts(row.value(column), separator))) {
        const [own, far] = [
          { type, key },
          { type: other.type, key: target },
        ];
        if (creates) this.#expect(far.type, far.key);
        yield end === 'from' ? { from: own, verb, to: far } : { from: far, verb, to: own };
      }
    }
  }

  #expect(type: string, key: string): void {
    const keys = this.#ends.get(type) ?? new Set();
    this.#ends.set(type, keys.add(key));
  }
}

function textIn(row: SourceRow, column: string): string | undefined {
  return inColumn(column, () => {
    const value = row.value(column);
    return value === undefined || value === null ? undefined : scalarText(value).trim();
  });
}

function requiredText(row: SourceRow, column: string): string {
  const text = textIn(row, column) ?? '';
  if (text === '') throw new CellFault(`column ${column}: expected a text, got nothing`);
  return text;
}

function inColumn<T>(column: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CellFault)) throw error;
    throw new CellFault(`column ${column}: ${error.message}`);
  }
}

/** The message of a fault of the row; others are thrown on. */
function faultOf(error: unknown): string {
  if (error instanceof CellFault) return error.message;
  if (!(error instanceof DomainError) || !ROW_FAULTS.has(error.code)) throw error;
  if (error.code === 'DUPLICATE_KEY') return 'an earlier row says something else of the same key';
  // The place in the connector says nothing that the line does not.
  return error.message.replace(/^connector .*?, step [^:]*?[:.] ?/, '');
}
