import type { BillBuilder } from './bill-builder.ts';
import type { BillValues, Placed } from './bill-values.ts';
import { fittingKey } from '../document/fitting-key.ts';
import { vulnerabilityNames } from './vulnerability-names.ts';
import { isAffectedIn, type Rating, type Statement, Vulnerabilities } from './vulnerabilities.ts';

const KNOWN: ReadonlySet<string> = new Set([
  'bom-ref',
  'id',
  'references',
  'ratings',
  'description',
  'analysis',
  'affects',
]);
const KNOWN_OF_ANALYSIS: ReadonlySet<string> = new Set(['state', 'justification']);

/** Reads the vulnerabilities of a CycloneDX document. */
export class CycloneDxVulnerabilities {
  readonly #values: BillValues;
  readonly #builder: BillBuilder;
  readonly #local: (reference: string) => string;
  readonly #found: Vulnerabilities;

  constructor(values: BillValues, builder: BillBuilder, local: (reference: string) => string) {
    this.#values = values;
    this.#builder = builder;
    this.#local = local;
    this.#found = new Vulnerabilities(builder);
  }

  read(entries: readonly Placed[]): void {
    for (const entry of entries) this.#add(entry);
    this.#found.emit();
  }

  #add(entry: Placed): void {
    const values = this.#values;
    values.ignoreOthers(entry.value, KNOWN, 'vulnerability.');
    const id = values.text(entry, 'id') ?? values.text(entry, 'bom-ref');
    if (id === undefined) {
      values.leaveOut(entry.place, 'it has neither an id nor a bom-ref and is left out');
      return;
    }
    // References are the same vulnerability under the names of other sources.
    const references = values.list(entry, 'references').flatMap((each) => values.text(each, 'id') ?? []);
    const { name, aliases } = vulnerabilityNames(id, references);
    const description = values.text(entry, 'description');
    const statements = this.#statements(entry, name);
    this.#found.add({ name, aliases, description, ratings: this.#ratings(entry), statements });
  }

  #ratings(entry: Placed): readonly Rating[] {
    return this.#values.list(entry, 'ratings').map((rating) => ({
      method: this.#values.text(rating, 'method'),
      severity: this.#values.text(rating, 'severity'),
      score: this.#values.number(rating, 'score'),
    }));
  }

  #statements(entry: Placed, name: string): readonly Statement[] {
    const values = this.#values;
    const analysis = values.object(entry, 'analysis');
    if (analysis !== undefined)
      values.ignoreOthers(analysis.value, KNOWN_OF_ANALYSIS, 'vulnerability.analysis.');
    const state = analysis && values.text(analysis, 'state');
    const justification = analysis && values.text(analysis, 'justification');
    return values.list(entry, 'affects').flatMap((affected) => {
      const reference = values.text(affected, 'ref');
      const isAffected = isAffectedIn(state) && !this.#areAllUnaffected(affected);
      if (reference !== undefined)
        return [
          { reference: this.#local(reference), place: affected.place, isAffected, state, justification },
        ];
      const owner = { type: 'vulnerability', key: fittingKey(name) };
      const verb = isAffected ? 'HAS' : 'NOT_AFFECTED_BY';
      this.#builder.addUnresolved({ owner, end: 'to', verb, reason: `${affected.place}: it has no ref` });
      return [];
    });
  }

  /** If the statement distinguishes versions, all of them must be unaffected. */
  #areAllUnaffected(affected: Placed): boolean {
    const versions = this.#values.list(affected, 'versions');
    return versions.length > 0 && versions.every(({ value: { status } }) => status === 'unaffected');
  }
}
