/**
 * Builds the columns of one segment of a new base. *Hot path* of sealing: unchanged rows keep their codes or
 * places; only new content is scanned.
 *
 * A column with few distinct values has a dictionary (at most an eighth of the rows, or 256; at most 65,535).
 * Others have places, or numbers if all values are numbers. A column of places gets a dictionary again when
 * it has few values.
 */
import { fieldOfProperty, propertyOfField } from '#graph/model';
import type { ColumnMeta } from '../base/base-meta.ts';
import type { SegmentColumn, Segment } from '../base/segment.ts';
import { CodeColumn } from '../column/code-column.ts';
import { PlaceColumn } from '../column/place-column.ts';
import {
  classAt,
  displayNameAt,
  eachProperty,
  findProperty,
  labelsAt,
  propertiesAt,
} from '../head/json-scan.ts';
import { buildPlaces } from './build-places.ts';
import type { ColumnWork, SegmentWork } from './column-work.ts';
import { DictionaryBuilder } from './dictionary-builder.ts';
import type { RawHeads } from './raw-heads.ts';
import { LABELS_FIELD } from '../column/labels-field.ts';

export function buildColumns(work: SegmentWork): ColumnMeta[] {
  const { origins, segments } = findOrigins(work);
  const fresh = scanFresh(work, origins);
  const names = new Set(fresh.keys());
  for (const segment of segments) for (const name of segment.columns.keys()) names.add(name);
  const columns: ColumnMeta[] = [];
  for (const name of names) {
    const column = buildColumn({ ...work, name, origins, fresh: fresh.get(name) }, segments);
    if (column !== undefined) columns.push(column);
  }
  return columns;
}

function buildColumn(work: ColumnWork, segments: readonly Segment[]): ColumnMeta | undefined {
  const old = segments.map((segment) => segment.columns.get(work.name));
  if (old.every((column) => column === undefined || column instanceof CodeColumn)) {
    const builder = new DictionaryBuilder(work.nodes.length);
    if (addCodes(work, builder)) return builder.finish(work.name, work.bag);
  }
  return buildPlaces(work, findPlaces(work));
}

/** Assigns a code to every row; false if there are too many values. */
function addCodes(
  { sources, heads, origins, nodes, name, fresh }: ColumnWork,
  builder: DictionaryBuilder,
): boolean {
  for (let row = 0; row < nodes.length; row++) {
    const origin = origins[row]!;
    if (origin < 0) {
      if (fresh !== undefined && fresh[row] !== 0) builder.addText(row, heads, fresh[row]!);
    } else {
      const segment = sources.base.segments[origin]!;
      const column = segment.columns.get(name);
      if (column instanceof CodeColumn) builder.addOld(row, column, nodes[row]! - segment.start);
    }
    if (builder.isFull) return false;
  }
  return true;
}

function findOrigins({ sources, nodes }: SegmentWork): { origins: Int32Array; segments: Segment[] } {
  const origins = new Int32Array(nodes.length).fill(-1);
  const segments = new Set<Segment>();
  for (let row = 0; row < nodes.length; row++) {
    const node = nodes[row]!;
    if (sources.nodeContent(node) !== 0) continue;
    origins[row] = sources.base.segmentAt(node);
    segments.add(sources.base.segments[origins[row]!]!);
  }
  return { origins, segments: [...segments] };
}

/** Places of all values in rows with new content, by property. */
function scanFresh({ heads, nodes }: SegmentWork, origins: Int32Array): Map<string, Uint32Array> {
  const fresh = new Map<string, Uint32Array>();
  const labels = new Map<string, Uint32Array>();
  const add = (name: string, row: number, place: number): void => {
    let places = fresh.get(name);
    if (places === undefined) fresh.set(name, (places = new Uint32Array(nodes.length)));
    places[row] = place;
  };
  for (let row = 0; row < nodes.length; row++) {
    if (origins[row]! >= 0) continue;
    const bytes = heads.bytes(row);
    const start = heads.start(row);
    add('class', row, classAt(bytes, start) - start);
    add('display_name', row, displayNameAt(bytes, start) - start);
    const labelList = labelsAt(bytes, start);
    if (labelList !== 0) add(LABELS_FIELD, row, labelList - start);
    eachProperty(bytes, propertiesAt(bytes, start), (from, to, value) => {
      const label = bytes.toString('latin1', from, to);
      let places = labels.get(label);
      if (places === undefined) {
        const name = fieldOfProperty(JSON.parse(`"${bytes.toString('utf8', from, to)}"`) as string);
        add(name, row, value - start);
        places = fresh.get(name) ?? new Uint32Array(nodes.length);
        labels.set(label, places);
      }
      places[row] = value - start;
    });
  }
  return fresh;
}

function findPlaces(work: ColumnWork): Uint32Array {
  const { sources, heads, nodes, name, origins, fresh } = work;
  const places = fresh?.slice() ?? new Uint32Array(nodes.length);
  const label = Buffer.from(JSON.stringify(propertyOfField(name) ?? name).slice(1, -1), 'utf8');
  for (let row = 0; row < nodes.length; row++) {
    const origin = origins[row]!;
    if (origin < 0) continue;
    const segment = sources.base.segments[origin]!;
    const column: SegmentColumn | undefined = segment.columns.get(name);
    if (column === undefined) continue;
    if (column instanceof PlaceColumn) places[row] = column.places[nodes[row]! - segment.start]!;
    else places[row] = placeIn(heads, row, name, label);
  }
  return places;
}

function placeIn(heads: RawHeads, row: number, name: string, label: Uint8Array): number {
  const bytes = heads.bytes(row);
  const start = heads.start(row);
  if (name === 'class') return classAt(bytes, start) - start;
  if (name === 'display_name') return displayNameAt(bytes, start) - start;
  const found =
    name === LABELS_FIELD ? labelsAt(bytes, start) : findProperty(bytes, propertiesAt(bytes, start), label);
  return found === 0 ? 0 : found - start;
}
