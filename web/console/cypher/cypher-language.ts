import { StreamLanguage } from '@codemirror/language';
import { pqlTags } from '../pql/pql-language.ts';
import { KEYWORDS } from './complete-cypher.ts';
import { cypherTokens } from './scan-cypher.ts';

const WORDS: ReadonlySet<string> = new Set(KEYWORDS.flatMap((phrase) => phrase.split(' ')));

/** Cypher for CodeMirror, in the colours of PQL; a comment of several lines is coloured as one. */
export const cypherLanguage = StreamLanguage.define<{ isInComment: boolean }>({
  name: 'cypher',
  startState: () => ({ isInComment: false }),
  copyState: (state) => ({ ...state }),
  token: (stream, state) => {
    if (state.isInComment) {
      state.isInComment = !stream.skipTo('*/');
      if (state.isInComment) stream.skipToEnd();
      else stream.pos += 2;
      return 'comment';
    }
    if (stream.eatSpace()) return null;
    const [token] = cypherTokens(stream.string.slice(stream.pos));
    if (token === undefined) {
      stream.skipToEnd();
      return null;
    }
    stream.pos += token.end;
    state.isInComment = token.text.startsWith('/*') && !token.text.endsWith('*/');
    return token.kind === 'word' && WORDS.has(token.text.toUpperCase()) ? 'keyword' : token.kind;
  },
  tokenTable: pqlTags,
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } },
});
