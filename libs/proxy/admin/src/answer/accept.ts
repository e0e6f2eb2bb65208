/**
 * Whether an Accept header asks for JSON rather than plain text. The most specific range that fits a type
 * gives its quality, as RFC 9110 §12.5.1 has it; text wins a tie, and where nothing is said.
 */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = accept.split(',').map(rangeOf);
  return qualityOf('application', 'json', ranges) > qualityOf('text', 'plain', ranges);
}

interface MediaRange {
  readonly type: string;
  readonly quality: number;
}

const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** A range with parameters of its own, such as a version, is as good as one without. */
function rangeOf(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  for (const parameter of parameters) {
    if (!parameter.startsWith('q=')) continue;
    return { type, quality: Number(QUALITY.exec(parameter)?.[1] ?? 0) };
  }
  return { type, quality: 1 };
}

function qualityOf(type: string, subtype: string, ranges: readonly MediaRange[]): number {
  for (const wanted of [`${type}/${subtype}`, `${type}/*`, '*/*']) {
    const fitting = ranges.filter((range) => range.type === wanted);
    if (fitting.length > 0) return Math.max(...fitting.map(({ quality }) => quality));
  }
  return 0;
}
