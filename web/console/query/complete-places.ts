import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { functionNames } from '../api/function-names.ts';
import { vocabulary } from '../api/vocabulary.svelte.ts';
import { completeCypher } from '../cypher/complete-cypher.ts';
import { type Candidate, completePql, literal } from '../pql/complete-pql.ts';

const TEXT = /^['"][^'"]*$/;
const WORD = /^[\p{ID_Continue}`' ]*$/u;
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
  if (completion.from === context.pos && !context.explicit && !isWanted(text, context.pos)) return null;
  const values = completion.valuesOf === undefined ? [] : await vocabulary.values.of(completion.valuesOf);
  const { from, to, quote, candidates } = completion;
  const fitting = quote === undefined ? values : values.filter(({ value }) => typeof value === 'string');
  const options = [
    ...fitting.map(({ value, count }) => ({
      label: literal(value, quote),
      detail: String(count),
      boost: 30,
    })),
    ...candidates.map(optionOf),
  ];
  if (options.length === 0 || isLeft(context)) return null;
  return { from, ...(to !== undefined && { to }), options, validFor: quote === undefined ? WORD : TEXT };
}

/** The same in Cypher: labels, types, properties, variables, keywords and functions. */
export async function completeStatement(context: CompletionContext): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const words = { vocabulary: await vocabulary.load(), functions: await functionNames.load() };
  const { from, candidates } = completeCypher(text, context.pos, words);
  if (from === context.pos && !context.explicit && !/[:.|]$/.test(text.slice(0, context.pos))) return null;
  if (candidates.length === 0 || isLeft(context)) return null;
  return { from, options: candidates.map(optionOf), validFor: WORD };
}

/** Whether the user is elsewhere by now: a list would open over the result. */
function isLeft({ view }: CompletionContext): boolean {
  return view?.hasFocus === false;
}

/** Whether completion opens unprompted: after a space, where a name or a value is expected. */
function isWanted(text: string, at: number): boolean {
  return /(?:\b(?:FIND|THAT|WITH|WHERE|AND|OR|BY|FROM|RETURN)|[.=]) ?$/i.test(text.slice(0, at));
}

function optionOf({ text, kind, count }: Candidate): Completion {
  const detail = count === undefined ? kind : `${kind} · ${count.toLocaleString('en')}`;
  return { label: text, type: TYPES[kind], detail, boost: BOOSTS[kind] ?? 0 };
}
