import type { GraphReader } from '../graph-reader.port.ts';
import { compareText, compareValues } from '../value-order.ts';

/** Result order of two relationships: by their ends, then by verb (case folded) and key. */
export function compareLinks(reader: GraphReader, a: number, b: number): number {
  if (a === b) return 0;
  return (
    reader.compare(reader.linkFrom(a), reader.linkFrom(b)) ||
    reader.compare(reader.linkTo(a), reader.linkTo(b)) ||
    compareText(reader.linkVerb(a).toUpperCase(), reader.linkVerb(b).toUpperCase()) ||
    compareValues(reader.linkField(a, '_key') ?? '', reader.linkField(b, '_key') ?? '')
  );
}
