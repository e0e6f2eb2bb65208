const OPERATORS = /^(AND|OR|WITH)$/i;
/** The values of SPDX for an unknown licence, and for none. */
const UNSAID: ReadonlySet<string> = new Set(['NOASSERTION', 'NONE']);
const SPDX_EXPRESSION = /^[\w.+:()\s-]+$/;

/** The licence field of npm: a text; in old packages an object or a list of alternatives. */
export function licenceText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  if (Array.isArray(value)) {
    const texts = value.map(licenceText).filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : texts.join(' OR ');
  }
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  return licenceText(value.type);
}

/**
 * The distinct licences in an SPDX expression: two in `(MIT OR Apache-2.0)`. Exceptions after WITH are not
 * licences. A text that is not an expression (`SEE LICENSE IN file`) counts as one licence.
 */
export function licencesIn(text: string): readonly string[] {
  if (/^SEE LICEN[CS]E IN /i.test(text) || !SPDX_EXPRESSION.test(text)) return [text];
  const words = text.split(/[()\s]+/).filter((word) => word !== '');
  const names = words.filter(
    (word, index) => !OPERATORS.test(word) && !/^WITH$/i.test(words[index - 1] ?? ''),
  );
  const isExpression = names.length > 0 && words.length - names.length >= names.length - 1;
  if (!isExpression) return [text];
  return Array.from(new Set(names)).filter((name) => !UNSAID.has(name));
}

/** Several texts as one expression, `(A) AND (B)`; undefined for none. */
export function joinedLicences(texts: Iterable<string>): string | undefined {
  const [first, ...others] = texts;
  if (first === undefined || others.length === 0) return first;
  return [first, ...others].map((text) => `(${text})`).join(' AND ');
}
