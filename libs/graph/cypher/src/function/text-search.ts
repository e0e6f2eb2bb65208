/** Texts in texts, in time that is linear in both. */
import type { Run } from '../graph/run.ts';

/** What the search asks of a statement. */
type Work = Pick<Run, 'made' | 'make' | 'drop' | 'tick'>;

/** Comparisons of characters that the search of JavaScript, which may need them all, does in a moment. */
const QUICK_MAX = 50_000_000;
/** Characters that are read in the time of a step, and between two looks at the time of the statement. */
const READ_PER_STEP = 500;
const READ_PER_TICK = 65_536;
/** Bytes of the table for a character, in the measure of memory. */
const VALUES_PER_CHARACTER = 0.1;

export function hasText(text: string, search: string, run: Work): boolean {
  return isQuick(text, search) ? text.includes(search) : new TextSearch(text, search, run).next(0) >= 0;
}

function isQuick(text: string, search: string): boolean {
  return text.length * search.length <= QUICK_MAX;
}

/** The places of a text that is not empty: by Knuth, Morris and Pratt where JavaScript's search is slow. */
export class TextSearch {
  readonly #text: string;
  readonly #search: string;
  readonly #run: Work;
  /** Of each beginning of the text: the longest shorter one at its end. */
  #table: Int32Array | undefined;

  constructor(text: string, search: string, run: Work) {
    this.#text = text;
    this.#search = search;
    this.#run = run;
  }

  /** The first place that is not before `from`; -1 where there is none. */
  next(from: number): number {
    const [text, search, run] = [this.#text, this.#search, this.#run];
    if (isQuick(text, search)) return text.indexOf(search, from);
    const table = (this.#table ??= tableOf(search, run));
    for (let at = from, matched = 0; at < text.length; at++) {
      if (at % READ_PER_TICK === 0) run.tick(READ_PER_TICK / READ_PER_STEP);
      const unit = text.charCodeAt(at);
      while (matched > 0 && search.charCodeAt(matched) !== unit) matched = table[matched - 1] ?? 0;
      if (search.charCodeAt(matched) === unit) matched++;
      if (matched === search.length) return at - matched + 1;
    }
    return -1;
  }
}

function tableOf(search: string, run: Work): Int32Array {
  const { made } = run;
  run.make(search.length * VALUES_PER_CHARACTER);
  run.drop(made);
  const table = new Int32Array(search.length);
  for (let at = 1, matched = 0; at < search.length; at++) {
    if (at % READ_PER_TICK === 0) run.tick(READ_PER_TICK / READ_PER_STEP);
    const unit = search.charCodeAt(at);
    while (matched > 0 && search.charCodeAt(matched) !== unit) matched = table[matched - 1] ?? 0;
    if (search.charCodeAt(matched) === unit) matched++;
    table[at] = matched;
  }
  return table;
}
