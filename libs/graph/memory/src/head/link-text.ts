/**
 * The stored text of a relationship besides its ends and verb: `"key":…,"properties":{…}`, or without the
 * key, as in a reply.
 */
import type { Properties, PropertyKinds } from '#graph/model';
import { decodeProperties } from './item-head.ts';
import { textBetween, valueEnd } from './json-scan.ts';
import { decodeKinds, shownEnd } from './kinds-text.ts';

const PROPERTIES_LABEL = '"properties":';
const KEY_LABEL = '"key":';
const NO_PROPERTIES_BYTES = 2;
const PLAIN = Buffer.from(`${PROPERTIES_LABEL}{}`, 'utf8');

/** Writes the text of a relationship; the bytes are read-only. */
export function encodeLinkText(key: string | undefined, propertiesJson: Uint8Array): Uint8Array {
  if (key === undefined && propertiesJson.length === NO_PROPERTIES_BYTES) return PLAIN;
  const label =
    key === undefined ? PROPERTIES_LABEL : `${KEY_LABEL}${JSON.stringify(key)},${PROPERTIES_LABEL}`;
  return Buffer.concat([Buffer.from(label, 'utf8'), propertiesJson]);
}

export function isPlainLinkText(text: Uint8Array): boolean {
  return text === PLAIN || PLAIN.equals(text);
}

/** A relationship's text within a larger buffer. */
export class LinkText {
  static readonly plain = new LinkText(PLAIN, 0, PLAIN.length);

  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  get key(): string | undefined {
    if (!this.#hasKey) return undefined;
    const at = this.start + KEY_LABEL.length;
    return textBetween(this.bytes, at + 1, valueEnd(this.bytes, at) - 1);
  }

  properties(): Properties {
    return decodeProperties(this.bytes.toString('utf8', this.#propertiesAt, this.shownEnd));
  }

  kinds(): PropertyKinds | undefined {
    return decodeKinds(this.bytes, this.end);
  }

  /** The end of the JSON in a reply. */
  get shownEnd(): number {
    return shownEnd(this.bytes, this.end);
  }

  /** The properties with the kinds behind them. */
  propertiesJson(): Uint8Array {
    return this.bytes.subarray(this.#propertiesAt, this.end);
  }

  get #hasKey(): boolean {
    return this.bytes[this.start + 1] === KEY_LABEL.charCodeAt(1);
  }

  get #propertiesAt(): number {
    const keyEnd = this.#hasKey ? valueEnd(this.bytes, this.start + KEY_LABEL.length) + 1 : this.start;
    return keyEnd + PROPERTIES_LABEL.length;
  }
}
