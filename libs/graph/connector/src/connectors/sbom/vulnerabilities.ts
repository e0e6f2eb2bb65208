import type { EntityKey } from '#graph/model';
import { type BillBuilder, type Facts, knownProperties, type Link } from './bill-builder.ts';
import { fittingKey } from '../document/fitting-key.ts';
import { listed } from './component-name.ts';

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

export interface Rating {
  readonly method: string | undefined;
  readonly score: number | undefined;
  readonly severity: string | undefined;
}

/** What a document says about one component. */
export interface Statement {
  readonly reference: string;
  readonly place: string;
  /** In the words of CycloneDX. */
  readonly state: string | undefined;
  readonly justification?: string | undefined;
  /** Default: whether the state says so. */
  readonly isAffected?: boolean;
  /** Parts of the component that the statement is about. */
  readonly subcomponents?: readonly string[];
  /** Why the component has it: the range, the versions that mend it, the source. */
  readonly facts?: Facts;
}

/** One entry about a vulnerability. */
export interface VulnerabilityEntry {
  readonly name: string;
  readonly description?: string | undefined;
  readonly ratings?: readonly Rating[];
  readonly statements: readonly Statement[];
  /** Its names elsewhere. */
  readonly aliases?: readonly string[];
  /** Further properties; of several entries, the first that states one. */
  readonly facts?: Facts;
}

interface Vulnerability {
  readonly name: string;
  facts: Facts;
  description: string | undefined;
  readonly ratings: Rating[];
  readonly statements: Statement[];
}

/** Whether a component in a state has the vulnerability. */
export function isAffectedIn(state: string | undefined): boolean {
  return !UNAFFECTED.has(state);
}

/**
 * The vulnerabilities of a document. Several entries of one vulnerability are one entity, whatever their
 * order: the longest description, the rating of the newest version of CVSS, of equal ones the highest, and
 * for each component the worst statement.
 */
export class Vulnerabilities {
  readonly #builder: BillBuilder;
  readonly #byKey = new Map<string, Vulnerability>();

  constructor(builder: BillBuilder) {
    this.#builder = builder;
  }

  add({ name, description, ratings = [], statements, aliases = [], ...entry }: VulnerabilityEntry): void {
    const facts: Facts = { aliases: listed(aliases), ...entry.facts };
    const known = this.#byKey.get(fittingKey(name));
    const vulnerability = known ?? { name, facts, description: undefined, ratings: [], statements: [] };
    vulnerability.facts = { ...facts, ...knownProperties(vulnerability.facts) };
    this.#byKey.set(fittingKey(name), vulnerability);
    if ((description?.length ?? 0) > (vulnerability.description?.length ?? 0))
      vulnerability.description = description;
    for (const rating of ratings) vulnerability.ratings.push(rating);
    for (const statement of statements) vulnerability.statements.push(statement);
  }

  /** Adds them to the bill, after all of its components. */
  emit(): void {
    for (const [key, vulnerability] of this.#byKey) this.#emit({ type: 'vulnerability', key }, vulnerability);
  }

  #emit(owner: EntityKey, { name, facts, description, ratings, statements }: Vulnerability): void {
    const { severity, score } = ratings.toSorted(byWeight)[0] ?? {};
    const properties: Facts = { name, description, severity, score, ...facts };
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
  const { reference, place, state, justification, subcomponents = [], facts } = statement;
  const verb = isAffectedBy(statement) ? 'HAS' : 'NOT_AFFECTED_BY';
  const parts = subcomponents.length === 0 ? {} : { subcomponents };
  return {
    owner,
    end: 'to',
    verb,
    reference,
    place,
    properties: { state, justification, ...parts, ...facts },
  };
}

function isAffectedBy({ state, isAffected = isAffectedIn(state) }: Statement): boolean {
  return isAffected;
}

/** The lower, the worse. */
function rankOf(statement: Statement): number {
  const rank = STATES.indexOf(statement.state);
  return (isAffectedBy(statement) ? 0 : STATES.length) + (rank === -1 ? STATES.indexOf(undefined) : rank);
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
