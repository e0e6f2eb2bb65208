/** XML as a tree: for documents of other tools, which are read whole. */
import sax, { type QualifiedTag } from 'sax';
import { DomainError } from '#platform/foundation';

export interface XmlElement {
  /** Name of the element without its prefix. */
  readonly name: string;
  /** The URI of its namespace; empty for none. */
  readonly namespace: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children and without white space at both ends. */
  readonly text: string;
  /** The line on which it begins, from 1. */
  readonly line: number;
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

const DEPTH_MAX = 500;
const ENCODING = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([^"']*)["']/i;

/**
 * The root of a well-formed document in UTF-8. Throws INVALID_REQUEST with the line of the first fault.
 * Entities are not expanded: a document that declares some is refused, and so is a reference to any but the
 * five of XML itself; nothing else is loaded. `what` describes the expected document.
 */
export function parseXml(text: string, what: string): XmlElement {
  requireUtf8(text, what);
  const parser = new TreeParser(what);
  parser.write(text.replace(/^\uFEFF/, ''));
  return parser.end();
}

/**
 * Like {@link parseXml}, piece by piece: the children of the root are passed to `onChild` as soon as they
 * end, and are not kept. Returns the root without them.
 */
export async function streamXml(
  pieces: AsyncIterable<Uint8Array>,
  what: string,
  onChild: (element: XmlElement) => void,
): Promise<XmlElement> {
  const parser = new TreeParser(what, onChild);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  for await (const piece of pieces) {
    const text = decoded(decoder, what, piece);
    if (isFirst) requireUtf8(text, what);
    isFirst = false;
    parser.write(text);
  }
  parser.write(decoded(decoder, what));
  return parser.end();
}

function decoded(decoder: InstanceType<typeof TextDecoder>, what: string, piece?: Uint8Array): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch (cause) {
    throw new DomainError('INVALID_REQUEST', `expected ${what} in UTF-8, got other bytes`, { cause });
  }
}

function requireUtf8(text: string, what: string): void {
  const [, encoding = 'UTF-8'] = ENCODING.exec(text.slice(0, 1_000)) ?? [];
  if (!/^(?:utf-?8|us-ascii)$/i.test(encoding))
    throw new DomainError('INVALID_REQUEST', `expected ${what} in UTF-8, got the encoding ${encoding}`);
}

class TreeParser {
  readonly #what: string;
  readonly #onChild: ((element: XmlElement) => void) | undefined;
  readonly #parser = new sax.SAXParser(true, { xmlns: true, position: true });
  readonly #open: OpenElement[] = [];
  #root: XmlElement | undefined;

  constructor(what: string, onChild?: (element: XmlElement) => void) {
    this.#what = what;
    this.#onChild = onChild;
    this.#parser.ondoctype = (declaration) => {
      if (/\[|ENTITY/i.test(declaration)) throw this.#fault('a document type with declarations of its own');
    };
    this.#parser.onerror = ({ message }) => {
      const [reason = message] = message.split('\n');
      throw this.#fault(reason);
    };
    this.#parser.onopentag = (tag) => this.#begin(tag as QualifiedTag);
    this.#parser.onclosetag = () => this.#end();
    this.#parser.ontext = (more) => this.#addText(more);
    this.#parser.oncdata = (more) => this.#addText(more);
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  end(): XmlElement {
    this.#parser.close();
    if (this.#root === undefined) throw this.#fault('no element');
    return this.#root;
  }

  #begin({ local, uri, attributes }: QualifiedTag): void {
    if (this.#open.length >= DEPTH_MAX) throw this.#fault(`elements nested deeper than ${DEPTH_MAX}`);
    const own = Object.values(attributes).map((each) => [each.local, each.value] as const);
    this.#open.push({
      name: local,
      namespace: uri,
      attributes: Object.fromEntries(own),
      children: [],
      text: '',
      line: this.#parser.line + 1,
    });
  }

  #end(): void {
    const element = this.#open.pop();
    if (element === undefined) return;
    element.text = element.text.trim();
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root = element;
    else if (this.#onChild !== undefined && this.#open.length === 1) this.#onChild(element);
    else parent.children.push(element);
  }

  #addText(more: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) element.text += more;
  }

  #fault(reason: string): DomainError {
    const line = this.#parser.line + 1;
    return new DomainError('INVALID_REQUEST', `expected ${this.#what}, got ${reason} in line ${line}`);
  }
}
