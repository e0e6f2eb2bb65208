import {
  type EntityKey,
  isKnownClass,
  isKnownVerb,
  KNOWN_CLASSES,
  KNOWN_VERBS,
  type RelationshipKey,
  type Warning,
  type WarningCode,
} from '#graph/model';
import { nearestName } from '#platform/foundation';

/** Maximum number of warnings in a reply; a further one has the number of the others. */
const WARNINGS_MAX = 20;

/** Maximum number of cached unknown words with their suggestions: sources repeat them in each request. */
const NEAREST_MAX = 1_024;

/** Collects a bounded number of warnings, one for each word. */
export class WarningList {
  readonly #warnings: Warning[] = [];
  /** Created on demand: most requests have no warnings. */
  #seen: Set<string> | undefined;
  #more: Map<WarningCode, number> | undefined;
  #lastClass = '';
  #lastVerb = '';

  class(name: string): void {
    if (name === this.#lastClass) return;
    this.#lastClass = name;
    if (!isKnownClass(name)) this.#unknown('UNKNOWN_CLASS', name, KNOWN_CLASSES);
  }

  verb(name: string): void {
    if (name === this.#lastVerb) return;
    this.#lastVerb = name;
    if (!isKnownVerb(name)) this.#unknown('UNKNOWN_VERB', name, KNOWN_VERBS);
  }

  skipped(relationship: RelationshipKey): void {
    this.#add(
      'DANGLING_RELATIONSHIP',
      () => `skipped ${relationshipText(relationship)}: an end does not exist`,
    );
  }

  all(): readonly Warning[] {
    if (this.#more === undefined) return this.#warnings;
    const rest = Array.from(this.#more, ([code, count]) => ({ code, message: `and ${String(count)} more` }));
    return [...this.#warnings, ...rest];
  }

  #unknown(code: 'UNKNOWN_CLASS' | 'UNKNOWN_VERB', name: string, known: ReadonlySet<string>): void {
    const word = `${code} ${name}`;
    this.#seen ??= new Set();
    if (this.#seen.has(word)) return;
    this.#seen.add(word);
    this.#add(code, () => {
      const nearest = nearestWord(word, name, known);
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      return `${code === 'UNKNOWN_CLASS' ? 'class' : 'verb'} ${name} is not in the vocabulary${hint}`;
    });
  }

  #add(code: WarningCode, message: () => string): void {
    if (this.#warnings.length < WARNINGS_MAX) {
      this.#warnings.push({ code, message: message() });
      return;
    }
    this.#more ??= new Map();
    this.#more.set(code, (this.#more.get(code) ?? 0) + 1);
  }
}

const nearestWords = new Map<string, string | undefined>();

/** Cached, since a search of the vocabulary costs more than the rest of a small write. */
function nearestWord(word: string, name: string, known: ReadonlySet<string>): string | undefined {
  if (nearestWords.has(word)) return nearestWords.get(word);
  const nearest = nearestName(name, known);
  if (nearestWords.size >= NEAREST_MAX) nearestWords.clear();
  nearestWords.set(word, nearest);
  return nearest;
}

export function entityText(entity: EntityKey): string {
  return `${entity.type} ${entity.key}`;
}

export function relationshipText(relationship: RelationshipKey): string {
  const { from, verb, to, key } = relationship;
  return `${entityText(from)} ${verb} ${entityText(to)}${key === undefined ? '' : ` (${key})`}`;
}
