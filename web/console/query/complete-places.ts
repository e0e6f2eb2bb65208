import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  insertCompletionText,
} from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import { functionNames } from '../api/function-names.ts';
import { vocabulary } from '../api/vocabulary.svelte.ts';
import { completeCypher } from '../cypher/complete-cypher.ts';
import { type Candidate, completePql, literal } from '../pql/complete-pql.ts';

const TEXT = /^['"][^'"]*$/;
const WORD = /^[\p{ID_Continue}`]*$/u;
/** Completion types of CodeMirror, which determine order and icons. */
const TYPES: Readonly<Record<Candidate['kind'], string>> = {
  keyword: 'keyword',
  class: 'class',
  label: 'class',
  type: 'type',
  verb: 'function',
  property: 'property',
  field: 'property',
  alias: 'variable',
  function: 'function',
};
const BOOSTS: Readonly<Partial<Record<Candidate['kind'], number>>> = {
  alias: 20,
  keyword: -10,
  field: -20,
  function: -20,
};

/** Completion in the editor: names of the schema, and values of fields with few of them. */
export async function completePlaces(context: CompletionContext): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const completion = completePql(text, context.pos, await vocabulary.load());
  if (completion.from === context.pos && !context.explicit && completion.isIncomplete !== true) return null;
  const values = completion.valuesOf === undefined ? [] : await vocabulary.values.of(completion.valuesOf);
  const { from, quote, candidates } = completion;
  const fitting = quote === undefined ? values : values.filter(({ value }) => typeof value === 'string');
  const options = [
    ...fitting.map(({ value, count }) => ({
      label: literal(value, quote),
      detail: String(count),
      boost: 30,
      apply: applyValue,
    })),
    ...candidates.map(optionOf),
  ];
  if (options.length === 0 || isLeft(context)) return null;
  return { from, options, validFor: quote === undefined ? fits(options) : TEXT };
}

/** The same in Cypher: labels, types, properties, variables, keywords and functions. */
export async function completeStatement(context: CompletionContext): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const words = { vocabulary: await vocabulary.load(), functions: await functionNames.load() };
  const { from, candidates } = completeCypher(text, context.pos, words);
  if (from === context.pos && !context.explicit && !/[:.|]$/.test(text.slice(0, context.pos))) return null;
  const options = candidates.map(optionOf);
  if (options.length === 0 || isLeft(context)) return null;
  return { from, options, validFor: fits(options) };
}

/** Whether the user is elsewhere by now: a list would open over the result. */
function isLeft({ view }: CompletionContext): boolean {
  return view?.hasFocus === false;
}

/** Whether the candidates are those for what is typed: a word, or the beginning of one of several words. */
function fits(options: readonly Completion[]): (typed: string) => boolean {
  return (typed) =>
    WORD.test(typed) ||
    (typed.includes(' ') && options.some(({ label }) => label.toLowerCase().startsWith(typed.toLowerCase())));
}

/** Inserts a value; the quote that is closed behind the cursor belongs to what it replaces. */
function applyValue(view: EditorView, { label }: Completion, from: number, to: number): void {
  const { state } = view;
  const isClosed = from < to && state.sliceDoc(to, to + 1) === label.at(-1) && /['"]$/.test(label);
  view.dispatch(insertCompletionText(state, label, from, isClosed ? to + 1 : to));
}

function optionOf({ text, kind, count }: Candidate): Completion {
  const detail = count === undefined ? kind : `${kind} · ${count.toLocaleString('en')}`;
  return { label: text, type: TYPES[kind], detail, boost: BOOSTS[kind] ?? 0 };
}
