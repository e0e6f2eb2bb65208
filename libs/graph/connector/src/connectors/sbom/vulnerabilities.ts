import type { EntityKey, PropertyValue } from '#graph/model';
import type { BillBuilder, Link } from './bill-builder.ts';
import type { BillValues, Placed } from './bill-values.ts';
import { fittingKey } from './fitting-key.ts';

/** VEX states, the worst first: of several statements about one component, the worst is valid. */
const STATES: readonly (string | undefined)[] = [
  'exploitable',
  'in_triage',
  undefined,
  'resolved',
  'resolved_with_pedigree',
  'false_positive',
  'not_affected',
];
/** States of a component that is not, or no longer, affected. */
const UNAFFECTED: ReadonlySet<string | undefined> = new Set(STATES.slice(3));
/** The newest first; other methods come after all of them. */
const CVSS: readonly unknown[] = ['CVSSv4', 'CVSSv31', 'CVSSv3', 'CVSSv2'];
const SEVERITIES: readonly unknown[] = ['critical', 'high', 'medium', 'low', 'info', 'none', 'unknown'];
const KNOWN: ReadonlySet<string> = new Set([
  'bom-ref',
  'id',
  'ratings',
  'description',
  'analysis',
  'affects',
]);
const KNOWN_OF_ANALYSIS: ReadonlySet<string> = new Set(['state', 'justification']);

interface Rating {
  readonly method: string | undefined;
  readonly score: number | undefined;
  readonly severity: string | undefined;
}

/** What an entry of the document says about one component. */
interface Statement {
  readonly reference: string;
  readonly place: string;
  readonly isAffected: boolean;
  readonly state: string | undefined;
  readonly justification: string | undefined;
}

/** All entries of one vulnerability. */
interface Vulnerability {
  readonly name: string;
  description: string | undefined;
  readonly ratings: Rating[];
  readonly statements: Statement[];
}

/**
 * The vulnerabilities of a CycloneDX document. Several entries of one vulnerability are one entity, whatever
 * their order: the longest description, the rating of the newest version of CVSS, of equal ones the highest,
 * and for each component the worst statement.
 */
export class VulnerabilityReader {
  readonly #values: BillValues;
  readonly #builder: BillBuilder;
  readonly #local: (reference: string) => string;
  readonly #byKey = new Map<string, Vulnerability>();

  constructor(values: BillValues, builder: BillBuilder, local: (reference: string) => string) {
    this.#values = values;
    this.#builder = builder;
    this.#local = local;
  }

  read(entries: readonly Placed[]): void {
    for (const entry of entries) this.#add(entry);
    for (const [key, vulnerability] of this.#byKey) this.#emit({ type: 'vulnerability', key }, vulnerability);
  }

  #add(entry: Placed): void {
    const values = this.#values;
    values.ignoreOthers(entry.value, KNOWN, 'vulnerability.');
    const name = values.text(entry, 'id') ?? values.text(entry, 'bom-ref');
    if (name === undefined) {
      values.warn(entry.place, 'it has neither an id nor a bom-ref and is left out');
      return;
    }
    const known = this.#byKey.get(fittingKey(name));
    const vulnerability = known ?? { name, description: undefined, ratings: [], statements: [] };
    this.#byKey.set(fittingKey(name), vulnerability);
    const description = values.text(entry, 'description');
    if ((description?.length ?? 0) > (vulnerability.description?.length ?? 0))
      vulnerability.description = description;
    vulnerability.ratings.push(...this.#ratings(entry));
    vulnerability.statements.push(...this.#statements(entry, name));
  }

  #ratings(entry: Placed): readonly Rating[] {
    return this.#values.list(entry, 'ratings').map((rating) => {
      const { score } = rating.value;
      return {
        method: this.#values.text(rating, 'method'),
        severity: this.#values.text(rating, 'severity'),
        score: typeof score === 'number' && Number.isFinite(score) ? score : undefined,
      };
    });
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
      const isAffected = !UNAFFECTED.has(state) && !this.#areAllUnaffected(affected);
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

  #emit(owner: EntityKey, { name, description, ratings, statements }: Vulnerability): void {
    const { severity, score } = ratings.toSorted(byWeight)[0] ?? {};
    const properties: Record<string, PropertyValue | undefined> = { name, description, severity, score };
    this.#builder.addEntity({ ...owner, class: 'Vulnerability', properties });
    const worst = new Map<string, Statement>();
    for (const statement of statements) {
      const entity = this.#builder.entityOf(statement.reference);
      const identity = entity === undefined ? `? ${statement.reference}` : `${entity.type} ${entity.key}`;
      const other = worst.get(identity);
      if (other === undefined || rankOf(statement) < rankOf(other)) worst.set(identity, statement);
    }
    for (const statement of worst.values()) this.#builder.link(linkOf(owner, statement));
  }
}

function linkOf(owner: EntityKey, statement: Statement): Link {
  const { reference, place, isAffected, state, justification } = statement;
  const verb = isAffected ? 'HAS' : 'NOT_AFFECTED_BY';
  return { owner, end: 'to', verb, reference, place, properties: { state, justification } };
}

/** The lower, the worse. */
function rankOf({ isAffected, state }: Statement): number {
  const rank = STATES.indexOf(state);
  return (isAffected ? 0 : STATES.length) + (rank === -1 ? STATES.indexOf(undefined) : rank);
}

/** Ratings by version of CVSS, then score, then severity. */
function byWeight(a: Rating, b: Rating): number {
  const byMethod = positionIn(CVSS, a.method) - positionIn(CVSS, b.method);
  const byScore = (b.score ?? -1) - (a.score ?? -1);
  return byMethod || byScore || positionIn(SEVERITIES, a.severity) - positionIn(SEVERITIES, b.severity);
}

function positionIn(order: readonly unknown[], value: unknown): number {
  const at = order.indexOf(value);
  return at === -1 ? order.length : at;
}
