/** A few lines of aliases can unfold into terabytes: what each one stands for is counted before it is made. */
import { type Event, EVENT_ID } from 'js-yaml';

export interface AliasFault {
  /** In the text. */
  readonly offset: number;
  readonly message: string;
}

interface OpenNode {
  readonly anchor: string | undefined;
  size: number;
}

/** Values of a document with all its aliases written out. */
const UNFOLDED_MAX = 10_000;

/** What is wrong with the first alias that may not be; undefined when all may. */
export function checkAliases(
  events: readonly Event[],
  text: string,
  aliases: 'refuse' | 'unfold',
): AliasFault | undefined {
  const sizes = new Map<string, number>();
  const open: OpenNode[] = [];
  let total = 0;
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      const node = open.pop();
      if (node?.anchor !== undefined) sizes.set(node.anchor, node.size);
      addTo(open, node?.size ?? 0);
    } else if (event.type === EVENT_ID.DOCUMENT) open.push({ anchor: undefined, size: 0 });
    else if (event.type === EVENT_ID.ALIAS) {
      // The name stands behind the asterisk.
      const offset = event.anchorStart - 1;
      if (aliases === 'refuse') return { offset, message: 'aliases are refused: write the value out' };
      const size = sizes.get(text.slice(event.anchorStart, event.anchorEnd));
      if (size === undefined) return { offset, message: 'expected an anchor that stands before its alias' };
      total += size;
      if (total > UNFOLDED_MAX)
        return { offset, message: `aliases unfold to more than ${UNFOLDED_MAX} values` };
      addTo(open, size);
    } else if (event.type === EVENT_ID.SCALAR) {
      const anchor = anchorOf(event, text);
      if (anchor !== undefined) sizes.set(anchor, 1);
      addTo(open, 1);
    } else open.push({ anchor: anchorOf(event, text), size: 1 });
  }
  return undefined;
}

function addTo(open: readonly OpenNode[], size: number): void {
  const parent = open.at(-1);
  if (parent !== undefined) parent.size += size;
}

function anchorOf(
  { anchorStart, anchorEnd }: { readonly anchorStart: number; readonly anchorEnd: number },
  text: string,
): string | undefined {
  return anchorEnd > anchorStart ? text.slice(anchorStart, anchorEnd) : undefined;
}
