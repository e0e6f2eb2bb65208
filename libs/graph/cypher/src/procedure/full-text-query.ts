/**
 * Queries of full text, as Lucene writes them: words of which one is enough, `AND`, `OR`, `NOT`, `+`, `-`,
 * phrases, beginnings (`ab*`), and `key:word` for one property.
 */
import { runtimeFault } from '../syntax/fault.ts';

/** What a text or one of its properties has to have. */
interface Term {
  /** Words one after another. */
  readonly words: readonly string[];
  /** Whether the last word may go on. */
  readonly isPrefix: boolean;
  /** Undefined: in any property. */
  readonly key: string | undefined;
  readonly need: 'must' | 'may' | 'not';
}

/** The words of each property of an element. */
export type Texts = ReadonlyMap<string, readonly string[]>;

const TERM =
  /\s*(?:(AND|OR|NOT|&&|\|\|)(?=\s|$)|([+\-!]?)(?:([\p{L}\p{N}_.$]+):)?(?:"([^"]*)"|([^\s"():^~?/\\[\]{}]+)))/uy;

export class FullTextQuery {
  readonly #terms: readonly Term[];

  /** Throws CYPHER_FAILED for what is not understood. */
  constructor(text: string) {
    this.#terms = termsOf(text);
  }

  /** How often the terms occur, by the length of the texts; 0 where they do not match. */
  scoreOf(texts: Texts): number {
    let score = 0;
    for (const term of this.#terms) {
      const found = scoreOfTerm(term, texts);
      if (term.need === 'not' ? found > 0 : term.need === 'must' && found === 0) return 0;
      if (term.need !== 'not') score += found;
    }
    return score;
  }
}

/** Words, in small letters, without what separates them. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

const TERMS_MAX = 1_000;

function termsOf(text: string): readonly Term[] {
  const terms: Term[] = [];
  let operator = '';
  for (const [, word, sign = '', key, phrase, single = ''] of piecesOf(text)) {
    if (word === undefined) {
      const term = { ...wordsIn(phrase, single), key, need: needOf(sign, operator) };
      if (term.words.length > 0) terms.push(term);
    } else if (word === 'AND' || word === '&&') requireLast(terms);
    operator = word ?? '';
    if (terms.length > TERMS_MAX) throw notUnderstood(`more than ${TERMS_MAX} words`);
  }
  return terms;
}

/** The matches of {@link TERM}, to the end of the text. */
function* piecesOf(text: string): Generator<RegExpExecArray> {
  const whole = text.trimEnd();
  for (let at = 0; at < whole.length;) {
    TERM.lastIndex = at;
    const piece = TERM.exec(whole);
    if (piece === null) throw notUnderstood(whole.slice(at, at + QUOTED_MAX).trim());
    at += piece[0].length;
    yield piece;
  }
}

const QUOTED_MAX = 40;

function wordsIn(phrase: string | undefined, single: string): Pick<Term, 'words' | 'isPrefix'> {
  const isPrefix = single.endsWith('*');
  if (single.slice(0, -1).includes('*')) throw notUnderstood(single);
  return { words: wordsOf(phrase ?? single), isPrefix };
}

function needOf(sign: string, operator: string): Term['need'] {
  if (sign === '-' || sign === '!' || operator === 'NOT') return 'not';
  return sign === '+' || operator === 'AND' || operator === '&&' ? 'must' : 'may';
}

function requireLast(terms: Term[]): void {
  const last = terms.pop();
  if (last !== undefined) terms.push({ ...last, need: last.need === 'may' ? 'must' : last.need });
}

function scoreOfTerm(term: Term, texts: Texts): number {
  let score = 0;
  for (const [key, words] of texts) {
    if (term.key !== undefined && term.key !== key) continue;
    const found = words.filter((_, at) => isAt(term, words, at)).length;
    if (found > 0) score += found / Math.sqrt(words.length);
  }
  return score;
}

function isAt({ words: wanted, isPrefix }: Term, words: readonly string[], at: number): boolean {
  return wanted.every((word, index) => {
    const found = words[at + index];
    return isPrefix && index === wanted.length - 1 ? found?.startsWith(word) === true : found === word;
  });
}

function notUnderstood(text: string): Error {
  return runtimeFault(
    'InvalidArgumentValue',
    'Neo.ClientError.Statement.ArgumentError',
    `full text query: \`${text.slice(0, QUOTED_MAX)}\` is not understood: expected words, AND, OR, NOT, + and -, "phrases", beginnings* and key:word`,
  );
}
