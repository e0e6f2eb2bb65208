/**
 * OpenVEX: which products a vulnerability affects. The products are in bills, not here: each is known by its
 * package URL. Of several statements about one product, the newest is valid.
 */
import { FieldPath, type JsonObject } from '#graph/model';
import { exactText } from '../../document/flat-properties.ts';
import { compareInstants, isInstant } from '../../document/instant.ts';
import { type Bill, BillBuilder } from '../bill-builder.ts';
import { BillValues, type Placed } from '../bill-values.ts';
import { listed } from '../component-name.ts';
import { vulnerabilityNames } from '../vulnerability-names.ts';
import { type Statement, Vulnerabilities } from '../vulnerabilities.ts';

/** The states of CycloneDX, in which all formats are read. */
const STATES: ReadonlyMap<string | undefined, string> = new Map([
  ['affected', 'exploitable'],
  ['under_investigation', 'in_triage'],
  ['fixed', 'resolved'],
  ['not_affected', 'not_affected'],
]);
const VERSION = /^0\.[0-2](?:\.\d+)?$/;
const fields = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const KNOWN = {
  document: fields('@context @id author role timestamp last_updated version tooling statements'),
  statement: fields('@id version vulnerability products status justification timestamp last_updated'),
};

interface Dated {
  readonly vulnerability: string;
  readonly aliases: readonly string[];
  readonly description: string | undefined;
  readonly statement: Statement;
  readonly time: string | undefined;
}

/** Throws INVALID_REQUEST for another version. */
export function readOpenVex(document: JsonObject): Bill {
  const [, version] = /openvex\.dev\/ns\/v?([^"/]+)/i.exec(exactText(document['@context'] ?? '')) ?? [];
  if (version !== undefined && !VERSION.test(version))
    throw new FieldPath().fault(
      '@context',
      `expected a version from 0.0.1 to 0.2, got ${version.slice(0, 40)}`,
    );
  return new OpenVexReader(document).read();
}

class OpenVexReader {
  readonly #root: Placed;
  readonly #values = new BillValues();
  /** The newest statement for each vulnerability and product. */
  readonly #newest = new Map<string, Dated>();

  constructor(document: JsonObject) {
    this.#root = { value: document, place: 'document' };
  }

  read(): Bill {
    const { value: document } = this.#root;
    this.#values.ignoreOthers(document, KNOWN.document, '');
    if (!('statements' in document))
      throw new FieldPath().fault('statements', 'expected a list, got nothing');
    for (const each of this.#values.topList(document, 'statements')) this.#addStatement(each);
    const builder = new BillBuilder(this.#values, {
      referenceTo: 'product',
      isExternal: () => true,
      purlOf: (reference) => reference,
    });
    const vulnerabilities = new Vulnerabilities(builder);
    for (const { vulnerability: name, aliases, description, statement } of this.#newest.values())
      vulnerabilities.add({ name, aliases, description, statements: [statement] });
    vulnerabilities.emit();
    return builder.finish();
  }

  #addStatement(item: Placed): void {
    const values = this.#values;
    values.ignoreOthers(item.value, KNOWN.statement, 'statement.');
    const about = this.#vulnerability(item);
    const status = values.text(item, 'status');
    const state = STATES.get(status);
    if (about === undefined || state === undefined) {
      const what = about === undefined ? 'it names no vulnerability' : `its status is ${String(status)}`;
      values.leaveOut(item.place, `${what.slice(0, 200)}; it is left out`);
      return;
    }
    const products = this.#products(item);
    if (products.length === 0) values.leaveOut(item.place, 'it names no product and is left out');
    const time =
      this.#time(item, 'last_updated') ??
      this.#time(item, 'timestamp') ??
      this.#time(this.#root, 'timestamp');
    const justification = values.text(item, 'justification');
    for (const product of products) {
      const statement = { ...product, state, justification };
      const identity = JSON.stringify([about.vulnerability, product.reference]);
      const known = this.#newest.get(identity);
      if (known === undefined || compareInstants(time, known.time) >= 0)
        this.#newest.set(identity, { ...about, statement, time });
    }
  }

  /** The newest statement is valid: of one whose time cannot be read, it is not known. */
  #time(item: Placed, field: string): string | undefined {
    const text = this.#values.text(item, field);
    if (text === undefined || isInstant(text)) return text;
    this.#values.leaveOut(`${item.place}.${field}`, `expected a time, got ${text.slice(0, 40)}`);
    return undefined;
  }

  /** Reads a vulnerability: a text in version 0.0.1, an object in later ones, with its other names. */
  #vulnerability(item: Placed): Omit<Dated, 'statement' | 'time'> | undefined {
    const { vulnerability } = item.value;
    if (typeof vulnerability === 'string') {
      const text = this.#values.text(item, 'vulnerability');
      return text === undefined ? undefined : { vulnerability: text, aliases: [], description: undefined };
    }
    const object = this.#values.object(item, 'vulnerability');
    const id = object && (this.#values.text(object, 'name') ?? this.#values.text(object, '@id'));
    if (object === undefined || id === undefined) return undefined;
    const { name, aliases } = vulnerabilityNames(id, this.#values.texts(object, 'aliases').texts);
    return { vulnerability: name, aliases, description: this.#values.text(object, 'description') };
  }

  /** The products, in version 0.0.1 texts. */
  #products(item: Placed): readonly Pick<Statement, 'reference' | 'place' | 'subcomponents'>[] {
    const list = item.value['products'];
    if (Array.isArray(list) && list.every((each) => typeof each === 'string'))
      return list.map((reference, index) => ({ reference, place: `${item.place}.products[${index}]` }));
    return this.#values.list(item, 'products').flatMap((product) => {
      const reference = this.#identifier(product);
      if (reference === undefined) {
        this.#values.leaveOut(product.place, 'it has no identifier');
        return [];
      }
      const parts = this.#values.list(product, 'subcomponents').map((each) => this.#identifier(each));
      const subcomponents = parts.filter((part) => part !== undefined);
      const { place } = product;
      return [{ reference, place, ...(listed(subcomponents) !== undefined && { subcomponents }) }];
    });
  }

  #identifier(item: Placed): string | undefined {
    const identifiers = this.#values.object(item, 'identifiers');
    const purl = identifiers && this.#values.text(identifiers, 'purl');
    const cpe =
      identifiers && (this.#values.text(identifiers, 'cpe23') ?? this.#values.text(identifiers, 'cpe22'));
    return purl ?? this.#values.text(item, '@id') ?? cpe;
  }
}
