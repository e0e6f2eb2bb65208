/**
 * Words of a query that are missing from the data, each of which alone makes the result empty.
 *
 * A class, verb or property counts if every row needs it: not under a negation, not in an optional or absent
 * part, and not as one of several alternatives of which the data has another. If all alternatives are
 * missing, each of them counts. Words of a vocabulary do not count as data.
 */
import type { Warning } from '#graph/model';
import type { Name } from '../ast/ast.ts';
import type {
  BoundElement,
  BoundNode,
  BoundQuery,
  RowExpression,
  RowOperand,
} from '../binder/bound-query.ts';
import type { GraphReader } from '../value/graph-reader.port.ts';
import { isRecordField, nearestWord, type PlacedWarning, unknownWord } from './data-warnings.ts';

type Words = readonly PlacedWarning[];
type Predicate = Exclude<RowExpression, { readonly kind: 'and' | 'or' | 'not' | 'same' | 'linked' }>;
const NONE: Words = [];

/**
 * The words, each once, in source order; empty if the query may have a result.
 * `mayBeAbsent` holds words that are not reported: classes and properties in their exact spelling, verbs in
 * any case.
 */
export function missingWords(
  { body }: BoundQuery,
  reader: GraphReader,
  mayBeAbsent: readonly string[] = [],
): readonly Warning[] {
  const ends = body.kind === 'path' ? [body.from, body.to] : body.kind === 'blast' ? [body.from] : [];
  const elements = body.kind === 'find' ? body.elements : ends.filter((end) => end.kind === 'node');
  const search = new MissingWordSearch(elements, reader, new Set(mayBeAbsent));
  const needed = elements.flatMap((element) => search.neededFor(element));
  const others = body.kind === 'find' ? search.inCondition(body.where) : search.verbs(body.via.verbs);
  const byPlace = new Map([...needed, ...others].map((word) => [word.position, word]));
  return Array.from(byPlace.values()).sort((a, b) => a.position - b.position);
}

class MissingWordSearch {
  readonly #elements: ReadonlyMap<number, BoundElement>;
  readonly #reader: GraphReader;
  readonly #mayBeAbsent: ReadonlySet<string>;

  constructor(elements: readonly BoundElement[], reader: GraphReader, mayBeAbsent: ReadonlySet<string>) {
    this.#elements = new Map(elements.map((element) => [element.element, element]));
    this.#reader = reader;
    this.#mayBeAbsent = mayBeAbsent;
  }

  neededFor(element: BoundElement): Words {
    if (element.presence !== 'required') return NONE;
    if (element.kind === 'hop') return element.repeat?.min === 0 ? NONE : this.verbs(element.verbs);
    const classes = this.#classes(element);
    return classes.length > 0 ? classes : this.inCondition(element.filter);
  }

  verbs(verbs: readonly Name[] | '*'): Words {
    const isMissing = ({ text }: Name): boolean =>
      !this.#reader.hasVerb(text) &&
      !this.#mayBeAbsent.has(text) &&
      !this.#mayBeAbsent.has(text.toUpperCase());
    if (verbs === '*' || !verbs.every(isMissing)) return NONE;
    return verbs.map(({ text, span }) =>
      unknownWord('UNKNOWN_VERB', {
        what: `no relationship has the verb \`${text}\``,
        nearest: nearestWord(text, this.#reader.verbs()),
        position: span.start,
      }),
    );
  }

  /** Words without which the condition is never true. */
  inCondition(condition: RowExpression | undefined): Words {
    if (condition === undefined) return NONE;
    switch (condition.kind) {
      case 'and':
        return condition.items.flatMap((item) => this.inCondition(item));
      case 'or': {
        const items = condition.items.map((item) => this.inCondition(item));
        return items.some((words) => words.length === 0) ? NONE : items.flat();
      }
      case 'not':
      case 'same':
        return NONE;
      case 'linked':
        return this.verbs(condition.verbs);
      default:
        return isNegated(condition) ? NONE : this.#inOperand(condition.left);
    }
  }

  /** Words without which the operand is always null. */
  #inOperand(operand: RowOperand): Words {
    const element = this.#elements.get(operand.element);
    if (element === undefined) return NONE;
    if (element.kind === 'hop') return this.verbs(element.verbs);
    const classes = this.#classes(element);
    if (classes.length > 0 || operand.kind === 'element') return classes;
    return this.#property(element, operand);
  }

  #property(node: BoundNode, { field, span }: Extract<RowOperand, { kind: 'field' }>): Words {
    if (isRecordField(field) || this.#mayBeAbsent.has(field)) return NONE;
    const known = this.#reader.propertyNames(node.names === '*' ? '*' : node.names.map(({ text }) => text));
    if (known.includes(field)) return NONE;
    return [
      unknownWord('UNKNOWN_PROPERTY', {
        what: `no entity of that class has \`${field}\``,
        nearest: nearestWord(field, known),
        position: span.start,
      }),
    ];
  }

  #classes({ names }: BoundNode): Words {
    const isMissing = ({ text }: Name): boolean =>
      !this.#reader.hasName(text) && !this.#mayBeAbsent.has(text);
    if (names === '*' || !names.every(isMissing)) return NONE;
    return names.map(({ text, span }) =>
      unknownWord('UNKNOWN_CLASS', {
        what: `no entity has the class or type \`${text}\``,
        nearest: nearestWord(text, this.#reader.names()),
        position: span.start,
      }),
    );
  }
}

function isNegated(predicate: Predicate): boolean {
  return predicate.kind === 'compare' ? predicate.operator === '!=' : predicate.negated;
}
