/**
 * A few lines of aliases can unfold into terabytes, so the size of each alias is counted before it is
 * expanded.
 */
import { type Event, EVENT_ID } from 'js-yaml';

export interface AliasFault {
  /** Offset into the text. */
  readonly offset: number;
  readonly message: string;
}

interface OpenNode {
  readonly anchor: string | undefined;
  size: number;
}

type AliasEvent = Extract<Event, { type: typeof EVENT_ID.ALIAS }>;
type OtherEvent = Exclude<Event, AliasEvent>;

/** Maximum number of values of a document with all aliases expanded. */
const UNFOLDED_MAX = 10_000;

/** The fault of the first forbidden alias; undefined when all are allowed. */
export function checkAliases(
  events: readonly Event[],
  text: string,
  aliases: 'refuse' | 'unfold',
): AliasFault | undefined {
  const sizes = new NodeSizes(text);
  for (const event of events) {
    if (event.type !== EVENT_ID.ALIAS) {
      sizes.count(event);
      continue;
    }
    const message =
      aliases === 'refuse' ? 'aliases are refused: write the value out' : sizes.countAlias(event);
    // The event starts at the name, after the asterisk.
    if (message !== undefined) return { offset: event.anchorStart - 1, message };
  }
  return undefined;
}

/** The number of values of each anchor, with aliases below it expanded. */
class NodeSizes {
  readonly #text: string;
  readonly #byAnchor = new Map<string, number>();
  readonly #open: OpenNode[] = [];
  #unfolded = 0;

  constructor(text: string) {
    this.#text = text;
  }

  count(event: OtherEvent): void {
    if (event.type === EVENT_ID.POP) this.#close(this.#open.pop());
    else if (event.type === EVENT_ID.DOCUMENT) this.#open.push({ anchor: undefined, size: 0 });
    else if (event.type === EVENT_ID.SCALAR) this.#close({ anchor: this.#anchorOf(event), size: 1 });
    else this.#open.push({ anchor: this.#anchorOf(event), size: 1 });
  }

  /** The fault of the alias, if any. */
  countAlias(event: AliasEvent): string | undefined {
    const size = this.#byAnchor.get(this.#anchorOf(event) ?? '');
    if (size === undefined) return 'expected an anchor before its alias';
    this.#unfolded += size;
    if (this.#unfolded > UNFOLDED_MAX) return `aliases unfold to more than ${UNFOLDED_MAX} values`;
    this.#close({ anchor: undefined, size });
    return undefined;
  }

  #close(node: OpenNode | undefined): void {
    if (node?.anchor !== undefined) this.#byAnchor.set(node.anchor, node.size);
    const parent = this.#open.at(-1);
    if (parent !== undefined) parent.size += node?.size ?? 0;
  }

  #anchorOf({
    anchorStart,
    anchorEnd,
  }: {
    readonly anchorStart: number;
    readonly anchorEnd: number;
  }): string | undefined {
    return anchorEnd > anchorStart ? this.#text.slice(anchorStart, anchorEnd) : undefined;
  }
}
