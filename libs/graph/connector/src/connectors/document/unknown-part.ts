import { ANY_TYPE, type UnreadPart } from '../../run/step.ts';

/** What a source of any types has and was not understood: it may be anything that earlier runs knew. */
export function unknownPart(what: string): UnreadPart {
  return { types: [ANY_TYPE], keyPrefix: '', reason: `${what}; what earlier runs knew is kept` };
}
