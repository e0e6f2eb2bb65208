import type { Coverage, CoverageGap, GapReason } from '../evidence/verdict.ts';

/** How many could be checked, and why the others could not. */
export class CoverageCount {
  readonly #gaps = new Map<GapReason, number>();
  #checked = 0;
  #total = 0;

  /** `gap` null: checked. */
  add(gap: GapReason | null, count = 1): void {
    this.#total += count;
    if (gap === null) this.#checked += count;
    else if (count > 0) this.#gaps.set(gap, (this.#gaps.get(gap) ?? 0) + count);
  }

  get coverage(): Coverage {
    return { checked: this.#checked, total: this.#total };
  }

  get gaps(): readonly CoverageGap[] {
    return Array.from(this.#gaps, ([reason, count]) => ({ reason, count }));
  }
}
