import type { FieldValue } from '#model';
import type { RowOperand } from '../binder/bound-query.ts';
import type { GraphReader } from '../graph-reader.port.ts';
import type { RowAccess } from '../plan/condition.ts';
import { NO_ELEMENT } from './row-table.ts';

/** Reads fields of the elements that the slots of a row stand for. A whole element is its number. */
export function rowAccess(
  reader: GraphReader,
  slots: readonly number[],
  links: ReadonlySet<number>,
): RowAccess<RowOperand, Uint32Array> {
  return {
    value: (operand) => {
      const slot = slots.indexOf(operand.element);
      if (operand.kind === 'element') return (row) => numberIn(row, slot);
      const { field } = operand;
      return links.has(operand.element)
        ? (row): FieldValue => {
            const link = numberIn(row, slot);
            return link === undefined ? undefined : reader.linkField(link, field);
          }
        : (row): FieldValue => {
            const node = numberIn(row, slot);
            return node === undefined ? undefined : reader.nodeField(node, field);
          };
    },
    identity: (element) => {
      const slot = slots.indexOf(element);
      return (row) => numberIn(row, slot);
    },
  };
}

function numberIn(row: Uint32Array, slot: number): number | undefined {
  const element = row[slot];
  return element === NO_ELEMENT ? undefined : element;
}
