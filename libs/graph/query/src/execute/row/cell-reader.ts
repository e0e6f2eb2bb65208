import { type GraphReader, compareValues, compareLinks, fieldKey, NO_ELEMENT } from '#graph/execution';
import { isComputedOperand, type RowOperand, type RowValue } from '../../binder/bound-query.ts';
import { LinkCell, NodeCell, type Cell } from '../../result/query-result.ts';
import { computedOf } from './computed-cell.ts';

/** Rows of slots, independent of their storage. */
export interface SlotRows {
  readonly rows: number;
  /** Memory held by the rows. */
  readonly bytes: number;
  slot(row: number, slot: number): number;
}

/** The elements bound to the slots of rows. */
export interface RowShape {
  /** Element of each slot. */
  readonly slots: readonly number[];
  /** Elements that are relationships. */
  readonly links: ReadonlySet<number>;
}

export type CellReader = (rows: SlotRows, row: number) => Cell;

export function cellReader(reader: GraphReader, shape: RowShape, value: RowValue): CellReader {
  if (!isComputedOperand(value)) return operandReader(reader, shape, value);
  const computed = computedOf<RowOperand, RowPlace>(value, (operand) => {
    const read = operandReader(reader, shape, operand);
    return ({ rows, row }) => read(rows, row);
  });
  return (rows, row) => computed({ rows, row });
}

interface RowPlace {
  readonly rows: SlotRows;
  readonly row: number;
}

function operandReader(reader: GraphReader, shape: RowShape, operand: RowOperand): CellReader {
  const slot = shape.slots.indexOf(operand.element);
  const isLink = shape.links.has(operand.element);
  const read = readerOf(reader, operand, isLink);
  return (rows, row) => {
    const element = rows.slot(row, slot);
    return element === NO_ELEMENT ? null : read(element);
  };
}

/** The order of two cells of one column, nulls last. */
export function compareCells(reader: GraphReader, a: Cell, b: Cell): number {
  if (a instanceof NodeCell && b instanceof NodeCell) return reader.compare(a.node, b.node);
  if (a instanceof LinkCell && b instanceof LinkCell) return compareLinks(reader, a.link, b.link);
  return compareValues(scalarOf(a), scalarOf(b));
}

/** A key that is the same for equal cells of one column. */
export function cellKey(cell: Cell): string | number | boolean | null {
  if (cell instanceof NodeCell) return cell.node;
  if (cell instanceof LinkCell) return cell.link;
  return fieldKey(cell);
}

function readerOf(reader: GraphReader, operand: RowOperand, isLink: boolean): (element: number) => Cell {
  if (operand.kind === 'element') {
    return isLink ? (link) => new LinkCell(link) : (node) => new NodeCell(node);
  }
  const { field } = operand;
  return isLink ? (link) => reader.linkField(link, field) : (node) => reader.nodeField(node, field);
}

function scalarOf(cell: Cell): Exclude<Cell, NodeCell | LinkCell> {
  return cell instanceof NodeCell || cell instanceof LinkCell ? undefined : cell;
}
