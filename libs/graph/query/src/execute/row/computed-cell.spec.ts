import { describe, expect, it } from '@jest/globals';
import type { ComputedOperand, RowOperand } from '../../binder/bound-query.ts';
import { computedOf } from './computed-cell.ts';

const span = { start: 0, end: 0 };
const field: RowOperand = { kind: 'field', element: 0, field: 'text', span };
const joined: ComputedOperand<RowOperand> = {
  kind: 'concat',
  terms: [field, field],
  operators: [],
  span,
};

describe('CONCAT', () => {
  it('makes a text of a million characters, and none that is longer', () => {
    const concat = computedOf<RowOperand, string>(joined, () => (text) => text);

    expect(concat('x'.repeat(500_000))).toHaveLength(1_000_000);
    expect(() => concat('x'.repeat(500_001))).toThrow(
      expect.objectContaining({ code: 'QUERY_TOO_LARGE', details: { limit: 1_000_000 } }),
    );
  });
});
