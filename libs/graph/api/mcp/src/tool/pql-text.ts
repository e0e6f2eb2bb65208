/** Builds parts of PQL from untrusted text, quoted so that the text cannot change the query. */

/** A class, type or verb. */
export function nameText(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** A text in quotes. */
export function literalText(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** A pattern of LIKE that any text with this one in it matches. */
export function containsPattern(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
}

/** The start or end entity of a path. */
export interface PathEnd {
  /** A key or an id. */
  readonly name: string;
  readonly type?: string | undefined;
}

export function endText({ name, type }: PathEnd): string {
  const text = literalText(name);
  return type === undefined ? text : `${nameText(type)} WITH (_key = ${text} OR _id = ${text})`;
}

export interface PathVia {
  readonly verbs?: readonly string[] | undefined;
  readonly direction: 'out' | 'in' | 'any';
  readonly depth?: number | undefined;
}

const ARROWS = { out: ' >>', in: ' <<', any: '' } as const;

/** The relationships that a path may use, and its maximum length. */
export function viaText({ verbs = [], direction, depth }: PathVia): string {
  const named = verbs.length === 0 ? 'RELATES TO' : `(${verbs.map(nameText).join('|')})`;
  return ` VIA ${named}${ARROWS[direction]}${depth === undefined ? '' : ` DEPTH ${String(depth)}`}`;
}
