/** The question for a blast radius, and the last choice for each class of node, kept in the browser. */
import { type LinkDirection, viaText } from '../pql/hop-text.ts';
import type { Links } from './read-graph.ts';

const STORAGE_KEY = 'plexus.blast';
/** The service's default. */
const BLAST_DEPTH = 4;

/** Relationships to follow over several hops. */
export interface Spread extends Links {
  readonly depth: number;
}

const NOTHING_CHOSEN: Spread = { verbs: [], direction: 'out', depth: BLAST_DEPTH };
const DIRECTIONS: readonly unknown[] = ['in', 'out', 'any'] satisfies readonly LinkDirection[];

export function blastPql(id: string, { verbs, direction, depth }: Spread): string {
  return `FIND BLAST RADIUS FROM '${id}' ${viaText(verbs, direction)} DEPTH ${depth}`;
}

/** The last choice for a class; without one no verb is chosen. */
export function lastChoice(className: string): Spread {
  const stored = storedChoices();
  const choice = Object.hasOwn(stored, className) ? stored[className] : undefined;
  return isSpread(choice) ? choice : NOTHING_CHOSEN;
}

export function keepChoice(className: string, choice: Spread): void {
  localStorage.setItem(STORAGE_KEY, JSON.stringify({ ...storedChoices(), [className]: choice }));
}

function storedChoices(): Readonly<Record<string, unknown>> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    return typeof stored === 'object' && stored !== null ? { ...stored } : {};
  } catch {
    // Stored by another version.
    return {};
  }
}

function isSpread(value: unknown): value is Spread {
  if (typeof value !== 'object' || value === null) return false;
  const { verbs, direction, depth } = value as Partial<Record<keyof Spread, unknown>>;
  const areTexts = Array.isArray(verbs) && verbs.every((verb) => typeof verb === 'string');
  return areTexts && DIRECTIONS.includes(direction) && Number.isSafeInteger(depth) && Number(depth) >= 0;
}
