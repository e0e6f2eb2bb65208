/**
 * CycloneDX XML as the document that CycloneDX JSON would be: the two have one data model, and are read by
 * one reader. What the reader does not know keeps its name and number, so that it is counted alike.
 */
import type { JsonObject } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { parseXml, type XmlElement } from '../../document/xml-tree.ts';

const NAMESPACE = /^https?:\/\/cyclonedx\.org\/schema\/bom\/(\d+\.\d+)$/;

type Convert = (element: XmlElement) => unknown;

/** The elements that are objects, with the conversion of those of their parts that are no texts. */
const DOCUMENT: Readonly<Record<string, Convert>> = {
  metadata: (element) => partsOf(element, { component: (each) => component(each) }),
  components: (element) => element.children.map(component),
  services: (element) => element.children.map(service),
  dependencies: (element) => element.children.map(dependency),
  vulnerabilities: (element) => element.children.map(vulnerability),
  externalReferences,
};
const COMPONENT: Readonly<Record<string, Convert>> = {
  supplier: named,
  manufacturer: named,
  authors: (element) => element.children.map(named),
  hashes: (element) => element.children.map(hash),
  licenses: (element) => element.children.map(licence),
  components: (element) => element.children.map(component),
  externalReferences,
  cryptoProperties: (element) =>
    partsOf(element, { relatedCryptoMaterialProperties: (each) => partsOf(each, {}) }),
};
const SERVICE: Readonly<Record<string, Convert>> = {
  provider: named,
  endpoints: (element) => element.children.map(({ text }) => text),
  authenticated: flag,
  'x-trust-boundary': flag,
  licenses: (element) => element.children.map(licence),
  services: (element) => element.children.map(service),
  externalReferences,
};
const VULNERABILITY: Readonly<Record<string, Convert>> = {
  ratings: (element) => element.children.map((each) => partsOf(each, { score: number })),
  references: (element) => element.children.map(named),
  analysis: (element) => partsOf(element, {}),
  affects: (element) => element.children.map(affected),
};

/** Throws INVALID_REQUEST with the line of a fault in the XML. */
export function cycloneDxOfXml(text: string): JsonObject {
  const root = parseXml(text, 'a CycloneDX bill in XML');
  const { serialNumber, version } = root.attributes;
  return {
    ...partsOf(root, DOCUMENT),
    bomFormat: root.name === 'bom' ? 'CycloneDX' : root.name,
    specVersion: NAMESPACE.exec(root.namespace)?.[1],
    serialNumber,
    version: version === undefined ? undefined : Number(version),
  };
}

function component(element: XmlElement): JsonObject {
  const { type, 'bom-ref': reference } = element.attributes;
  return { ...partsOf(element, COMPONENT), type, 'bom-ref': reference };
}

function service(element: XmlElement): JsonObject {
  return { ...partsOf(element, SERVICE), 'bom-ref': element.attributes['bom-ref'] };
}

/** `<reference type="bom"><url>urn:cdx:…</url></reference>` */
function externalReferences({ children }: XmlElement): readonly JsonObject[] {
  return children.map((each) => ({ ...partsOf(each, {}), type: each.attributes['type'] }));
}

/** `<dependency ref="a"><dependency ref="b"/><provides ref="c"/></dependency>` */
function dependency({ attributes, children }: XmlElement): JsonObject {
  const references = (name: string): readonly unknown[] =>
    children.filter((each) => each.name === name).map((each) => each.attributes['ref'] ?? null);
  return {
    ref: attributes['ref'],
    dependsOn: references('dependency'),
    provides: references('provides'),
  };
}

function licence(element: XmlElement): JsonObject {
  const { acknowledgement } = element.attributes;
  if (element.name === 'expression') return { expression: element.text, acknowledgement };
  // Since version 1.7, with details of its parts.
  const { expression } = element.attributes;
  if (element.name === 'expression-detailed') return { expression, acknowledgement };
  return { license: { ...partsOf(element, {}), acknowledgement } };
}

function hash({ attributes, text }: XmlElement): JsonObject {
  return { alg: attributes['alg'], content: text };
}

function vulnerability(element: XmlElement): JsonObject {
  return { ...partsOf(element, VULNERABILITY), 'bom-ref': element.attributes['bom-ref'] };
}

function affected(element: XmlElement): JsonObject {
  return partsOf(element, { versions: ({ children }) => children.map((each) => partsOf(each, {})) });
}

function named(element: XmlElement): JsonObject {
  return partsOf(element, {});
}

/** A text that is no number stays one, and is left out by the reader. */
function number({ text }: XmlElement): unknown {
  return text === '' || Number.isNaN(Number(text)) ? text : Number(text);
}

function flag({ text }: XmlElement): unknown {
  return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
}

/**
 * The parts of an element by name. One without a conversion is its text; its own parts are only counted.
 * Throws INVALID_REQUEST for a second part of a name that has a conversion, of which one would be lost.
 */
function partsOf(element: XmlElement, conversions: Readonly<Record<string, Convert>>): JsonObject {
  const parts = new Map<string, unknown>();
  for (const each of element.children) {
    const convert = Object.hasOwn(conversions, each.name) ? conversions[each.name] : undefined;
    const known = parts.get(each.name);
    if (known === undefined) parts.set(each.name, convert === undefined ? unread(each) : convert(each));
    else if (convert === undefined) parts.set(each.name, [known, unread(each)].flat());
    else
      throw new DomainError(
        'INVALID_REQUEST',
        `line ${each.line}: expected one <${each.name}> in <${element.name}>, got another`,
      );
  }
  return Object.fromEntries(parts);
}

/** A list of equal parts counts each of them, as in JSON. */
function unread({ children, text, attributes }: XmlElement): unknown {
  if (children.length > 0)
    return new Set(children.map(({ name }) => name)).size === 1 ? children.map(() => ({})) : {};
  return text === '' && Object.keys(attributes).length > 0 ? {} : text;
}
