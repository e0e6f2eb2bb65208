import type { FieldValue } from '#graph/model';
import type { RowOperand } from '../binder/bound-query.ts';
import type { RowAccess } from '../plan/condition.ts';
import type { ExecutionContext } from './execution-context.ts';
import { LinkTest } from './link-test.ts';
import { NO_ELEMENT } from './row-table.ts';

/** Reads fields of the elements that the slots of a row stand for. A whole element is its number. */
export function rowAccess(
  context: ExecutionContext,
  slots: readonly number[],
  links: ReadonlySet<number>,
): RowAccess<RowOperand, Uint32Array> {
  const { reader } = context;
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
    linked: (condition) => {
      const [left, right] = [slots.indexOf(condition.left), slots.indexOf(condition.right)];
      const test = new LinkTest(context, condition);
      return (row) => {
        const [from, to] = [numberIn(row, left), numberIn(row, right)];
        return from !== undefined && to !== undefined && test.holds(from, to);
      };
    },
  };
}

function numberIn(row: Uint32Array, slot: number): number | undefined {
  const element = row[slot];
  return element === NO_ELEMENT ? undefined : element;
}
