/** Values of properties as people read them: lists and records line by line, links as links. */
/** A piece of a text; with the address of a page, it is a link. */
export interface TextPart {
  readonly text: string;
  readonly address?: string;
}

/** `[name](address)` of Markdown, or an address. A full stop or a bracket behind it is not part of it. */
const LINK = /\[([^[\]\n]+)\]\((https?:\/\/[^\s()]+)\)|(https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}])/gi;

/** A list has a line for each element, a record one for each field, also if a text holds them as JSON. */
export function readableText(value: unknown): string {
  if (typeof value !== 'string') return linesOf(value);
  const parsed = /^\s*[[{]/.test(value) ? parsedJson(value) : undefined;
  return parsed === undefined ? value : linesOf(parsed);
}

export function textParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(LINK)) {
    const [whole, name, named, plain] = match;
    const address = webAddressOf(named ?? plain);
    if (address === undefined) continue;
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ text: name ?? whole, address });
    from = match.index + whole.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}

/** The parts up to a length, and the rest; neither a link nor a word is cut. */
export function foldedParts(
  parts: readonly TextPart[],
  length: number,
): readonly [readonly TextPart[], readonly TextPart[]] {
  const [shown, rest]: [TextPart[], TextPart[]] = [[], []];
  let room = length;
  for (const part of parts) {
    if (room <= 0) rest.push(part);
    else if (part.text.length <= room || part.address !== undefined) shown.push(part);
    else {
      const end = part.text.lastIndexOf(' ', room) + 1 || room;
      shown.push({ text: part.text.slice(0, end) });
      rest.push({ text: part.text.slice(end) });
    }
    room -= part.text.length;
  }
  return [shown, rest];
}

function linesOf(value: unknown): string {
  if (Array.isArray(value)) {
    const areRecords = value.some((each) => typeof each === 'object' && each !== null);
    return value.map(linesOf).join(areRecords ? '\n\n' : '\n');
  }
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${isSimple(each) ? String(each) : JSON.stringify(each)}`)
    .join('\n');
}

function isSimple(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // A text that begins with a bracket.
    return undefined;
  }
}

/** The address of a page in a value: http and https only, since a value may come from anywhere. */
function webAddressOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^https?:\/\/\S+$/i.test(value)) return undefined;
  return URL.canParse(value) ? value : undefined;
}
