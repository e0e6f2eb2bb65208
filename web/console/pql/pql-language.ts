import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { type OpenToken, type PqlTokenKind, scanPql } from './scan-pql.ts';

/** Kinds of tokens, with their colours. */
export const pqlTags = {
  keyword: tags.keyword,
  word: tags.variableName,
  name: tags.special(tags.variableName),
  field: tags.propertyName,
  string: tags.string,
  number: tags.number,
  date: tags.number,
  parameter: tags.special(tags.number),
  symbol: tags.operator,
  comment: tags.comment,
} as const satisfies Partial<Record<PqlTokenKind, unknown>>;

/** PQL for CodeMirror. */
export const pqlLanguage = StreamLanguage.define<{ open: OpenToken }>({
  name: 'pql',
  startState: () => ({ open: '' }),
  copyState: (state) => ({ ...state }),
  token: (stream, state) => {
    const { kind, end, open } = scanPql(stream.string, stream.pos, state.open);
    stream.pos = end;
    state.open = open;
    return kind === 'blank' ? null : kind;
  },
  tokenTable: pqlTags,
  languageData: { commentTokens: { line: '--', block: { open: '/*', close: '*/' } } },
});

export const pqlHighlighting = syntaxHighlighting(
  HighlightStyle.define([
    { tag: pqlTags.keyword, color: 'var(--code-keyword)', fontWeight: '600' },
    { tag: pqlTags.word, color: 'var(--code-name)' },
    { tag: [pqlTags.name, pqlTags.field], color: 'var(--code-verb)' },
    { tag: pqlTags.string, color: 'var(--code-string)' },
    { tag: [pqlTags.number, pqlTags.parameter], color: 'var(--code-number)' },
    { tag: pqlTags.symbol, color: 'var(--ink-soft)' },
    { tag: pqlTags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  ]),
);
