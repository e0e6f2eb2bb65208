/** The parts of a hop, and of VIA, in PQL. */
import { quoted } from './complete-pql.ts';

export type LinkDirection = 'in' | 'out' | 'any';

const ARROWS = { in: ' <<', out: ' >>', any: '' } as const;

/** Verbs and direction of a hop; all verbs if there are none. */
export function hopText(verbs: readonly string[], direction: LinkDirection): string {
  return `${verbsText(verbs)}${ARROWS[direction]}`;
}

/** Verbs and direction of VIA, where both directions have a sign. */
export function viaText(verbs: readonly string[], direction: LinkDirection): string {
  return `VIA ${verbsText(verbs)}${direction === 'any' ? ' <>' : ARROWS[direction]}`;
}

function verbsText(verbs: readonly string[]): string {
  if (verbs.length === 0) return 'RELATES TO';
  const names = verbs.map(quoted).join('|');
  return verbs.length === 1 ? names : `(${names})`;
}
