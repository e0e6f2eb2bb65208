/** The rows of one type, live or deleted: consecutive nodes, with a field for every name. *Hot path*. */
import { entityId, type FieldValue } from '#graph/model';
import type { BufferBag, UnsignedArray } from '../array/buffer-bag.ts';
import { CodeColumn } from '../column/code-column.ts';
import { ComputedField, ConstantField, StampField } from '../column/computed-field.ts';
import type { RowField } from '../column/field.ts';
import type { HeadRows } from '../column/head-rows.ts';
import { KeyField } from '../column/key-field.ts';
import { NumberColumn } from '../column/number-column.ts';
import { PlaceColumn } from '../column/place-column.ts';
import { STAMP_FIELDS, type StampTable } from '../stamp/stamp-table.ts';
import type { ColumnMeta, SegmentMeta } from './base-meta.ts';
import { LABELS_FIELD, labelsIn } from '../column/labels-field.ts';

const OWN_FIELDS: ReadonlySet<string> = new Set([...STAMP_FIELDS, '_class', '_type', '_key', '_id']);

export type SegmentColumn = CodeColumn | PlaceColumn | NumberColumn;

export interface SegmentSources {
  readonly bag: BufferBag;
  readonly heads: HeadRows;
  /** Stamp number of each of the segment's rows. */
  readonly stampNumbers: UnsignedArray;
  readonly stamps: StampTable;
  /** −1 if the base does not contain the entity. */
  readonly nodeById: (id: string) => number;
}

/** What the rows of a segment are found by, in addition to its type. */
const NAME_FIELDS: ReadonlySet<string> = new Set(['class', 'display_name', LABELS_FIELD]);

export class Segment {
  readonly type: string;
  readonly isDeleted: boolean;
  readonly start: number;
  readonly end: number;
  readonly heads: HeadRows;
  readonly columns = new Map<string, SegmentColumn>();
  readonly keys: KeyField;
  /** Names of properties whose values have kinds that JSON does not tell. */
  readonly kinded: ReadonlySet<string>;
  readonly #fields = new Map<string, RowField>();
  readonly #sources: SegmentSources;
  #classes: readonly string[] | undefined;
  #labels: readonly string[] | undefined;

  constructor(meta: SegmentMeta, sources: SegmentSources) {
    this.type = meta.type;
    this.isDeleted = meta.isDeleted;
    this.start = meta.start;
    this.end = meta.end;
    this.heads = sources.heads;
    this.kinded = new Set(meta.kinded);
    this.keys = new KeyField(sources.heads, (key) => this.#rowOf(key));
    this.#sources = sources;
    for (const column of meta.columns) this.columns.set(column.name, this.#column(column));
  }

  get size(): number {
    return this.end - this.start;
  }

  field(name: string): RowField {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const field = this.#makeField(name);
    if (this.columns.has(name) || OWN_FIELDS.has(name)) this.#fields.set(name, field);
    return field;
  }

  value(row: number, name: string): FieldValue {
    const column = this.columns.get(name);
    return column === undefined ? this.field(name).value(row) : column.value(row);
  }

  /** Classes of its rows. */
  get classes(): readonly string[] {
    this.#classes ??= this.#findClasses();
    return this.#classes;
  }

  /** Labels that its rows have. */
  get labels(): readonly string[] {
    this.#labels ??= this.#findLabels();
    return this.#labels;
  }

  #findLabels(): readonly string[] {
    const column = this.columns.get(LABELS_FIELD);
    if (column === undefined) return [];
    const lists = column instanceof CodeColumn ? column.values : rowsOf(column, this.size);
    return [...new Set(Array.from(lists, (list) => labelsIn(list) ?? []).flat())];
  }

  #findClasses(): readonly string[] {
    const column = this.columns.get('class');
    if (column instanceof CodeColumn) return column.values.filter((value) => typeof value === 'string');
    const found = new Set<string>();
    for (let row = 0; row < this.size; row++) found.add(String(column?.value(row)));
    return [...found];
  }

  /** Fields of properties. */
  propertyNames(): string[] {
    return [...this.columns.keys()].filter((name) => !NAME_FIELDS.has(name));
  }

  #makeField(name: string): RowField {
    if (STAMP_FIELDS.has(name)) return new StampField(name, this.#sources.stampNumbers, this.#sources.stamps);
    switch (name) {
      case '_class':
        return this.field('class');
      case '_type':
        return new ConstantField(this.type, this.size);
      case '_key':
        return this.keys;
      case '_id':
        return new ComputedField((row) => this.heads.id(row), this.size);
      default:
        return this.columns.get(name) ?? new ConstantField(undefined, this.size);
    }
  }

  #rowOf(key: string): number {
    const node = this.#sources.nodeById(entityId(this.type, key));
    return node >= this.start && node < this.end ? node - this.start : -1;
  }

  #column(meta: ColumnMeta): SegmentColumn {
    const { bag, heads } = this.#sources;
    if (meta.kind === 'codes') return new CodeColumn(meta, this.size, bag);
    return meta.kind === 'places' ? new PlaceColumn(meta, heads, bag) : new NumberColumn(meta, bag);
  }
}

function* rowsOf(column: SegmentColumn, size: number): Generator<FieldValue, void> {
  for (let row = 0; row < size; row++) yield column.value(row);
}
