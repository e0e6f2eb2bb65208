import type { JsonObject } from '#graph/model';
import { scalarText } from '../document/json-text.ts';
import type { DocumentLink } from './document-link.ts';

/** A link from one CycloneDX document to an element of another: `urn:cdx:<serial>/<version>#<bom-ref>`. */
export interface BomLink {
  readonly text: string;
  /** `<serial>/<version>`, in lower case. */
  readonly bill: string;
  readonly reference: string;
}

const BOM_LINK = /^urn:cdx:([^/#]+)\/([^/#]+)(?:#(.*))?$/is;

/** Where the element of a BOM-Link is; of one without an element, the subject of the other bill. */
export function linkOfBom(text: string): DocumentLink | undefined {
  const link = parseBomLink(text);
  if (link === undefined) return undefined;
  const { bill, reference: element } = link;
  const document = `urn:cdx:${bill}`;
  return { document, element, mention: bill.slice(0, bill.indexOf('/')), name: document };
}

/** Undefined for a text that is no such link. */
export function parseBomLink(text: string): BomLink | undefined {
  const [, serial, version = '', fragment = ''] = BOM_LINK.exec(text) ?? [];
  if (serial === undefined) return undefined;
  return { text, bill: `${serial}/${version}`.toLowerCase(), reference: decoded(fragment) };
}

/** `<serial>/<version>` of a document, if it can be linked to. */
export function billOf({ serialNumber, version = 1 }: JsonObject): string | undefined {
  if (typeof serialNumber !== 'string') return undefined;
  return `${serialNumber.replace(/^urn:uuid:/i, '')}/${scalarText(version)}`.toLowerCase();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray % is an ordinary character.
    return text;
  }
}
