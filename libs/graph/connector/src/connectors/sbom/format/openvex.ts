/**
 * OpenVEX: which products a vulnerability affects. The products are in bills, not here: each is known by its
 * package URL. Of several statements about one product, the newest is valid.
 */
import type { JsonObject } from '#graph/model';
import { compareInstants } from '../../document/instant.ts';
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
  readonly time: unknown;
}

export function readOpenVex(document: JsonObject): Bill {
  return new OpenVexReader(document).read();
}

class OpenVexReader {
  readonly #document: JsonObject;
  readonly #values = new BillValues();
  /** The newest statement for each vulnerability and product. */
  readonly #newest = new Map<string, Dated>();

  constructor(document: JsonObject) {
    this.#document = document;
  }

  read(): Bill {
    this.#values.ignoreOthers(this.#document, KNOWN.document, '');
    for (const each of this.#values.topList(this.#document, 'statements')) this.#addStatement(each);
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
    const time = item.value['last_updated'] ?? item.value['timestamp'] ?? this.#document['timestamp'];
    const justification = values.text(item, 'justification');
    for (const product of products) {
      const statement = { ...product, state, justification };
      const identity = JSON.stringify([about.vulnerability, product.reference]);
      const known = this.#newest.get(identity);
      if (known === undefined || compareInstants(time, known.time) >= 0)
        this.#newest.set(identity, { ...about, statement, time });
    }
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
