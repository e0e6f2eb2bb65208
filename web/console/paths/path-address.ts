/** What the path form is set to, beside its ends, in the address. */
import type { LinkDirection } from '../pql/hop-text.ts';

/** The greatest length that a query may ask for. */
export const DEPTH_MAX = 1_000;

export interface PathChoices {
  readonly direction: LinkDirection;
  /** Every shortest path, or one of them. */
  readonly isAll: boolean;
  /** Maximum number of relationships; undefined: any. */
  readonly depth: number | undefined;
  readonly avoidedVerbs: readonly string[];
  readonly avoidedClasses: readonly string[];
}

/** What is not set, or not valid, is as in an empty form. */
export function choicesOf(address: Readonly<Partial<Record<string, string>>>): PathChoices {
  const { direction, all, depth = '', avoid, avoid_classes: classes } = address;
  const length = Number(depth);
  return {
    direction: direction === 'in' || direction === 'any' ? direction : 'out',
    isAll: all === '1',
    depth: Number.isInteger(length) && length >= 1 && length <= DEPTH_MAX ? length : undefined,
    avoidedVerbs: namesIn(avoid),
    avoidedClasses: namesIn(classes),
  };
}

/** Empty for what is as in an empty form. */
export function addressOfChoices(choices: PathChoices): Readonly<Record<string, string>> {
  const { direction, isAll, depth, avoidedVerbs, avoidedClasses } = choices;
  return {
    direction: direction === 'out' ? '' : direction,
    all: isAll ? '1' : '',
    depth: depth === undefined ? '' : String(depth),
    avoid: namesText(avoidedVerbs),
    avoid_classes: namesText(avoidedClasses),
  };
}

function namesText(names: readonly string[]): string {
  return names.length === 0 ? '' : JSON.stringify(names);
}

function namesIn(text = '[]'): readonly string[] {
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}
