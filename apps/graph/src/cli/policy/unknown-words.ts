import { compileException, type Rule } from '#graph/policy';
import type { HttpTarget } from '../target/http-target.ts';

const WORD_CODES: ReadonlySet<string> = new Set(['UNKNOWN_CLASS', 'UNKNOWN_VERB', 'UNKNOWN_PROPERTY']);

/** A line for each word of the rules' queries that neither the server's data nor its vocabulary knows. */
export async function unknownWords(rules: readonly Rule[], server: HttpTarget): Promise<readonly string[]> {
  const lines = new Set<string>();
  for (const rule of rules) {
    for (const pql of queriesOf(rule)) {
      const { warnings } = await server.query({ pql: `EXPLAIN ${pql}`, params: valuesOf(rule) });
      for (const { code, message } of warnings) {
        if (WORD_CODES.has(code)) lines.add(`${rule.id}: ${message}`);
      }
    }
  }
  return [...lines];
}

function queriesOf({ query, population, exceptions }: Rule): readonly string[] {
  const matches = exceptions.map(({ match }) => compileException(query, match).pql);
  return [query, ...(population === undefined ? [] : [population]), ...matches];
}

/** To explain a query, any value of the right kind will do. */
function valuesOf({ parameters }: Rule): Readonly<Record<string, unknown>> {
  const samples = { string: '', number: 0, boolean: false, list: [] } as const;
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { type, default: value = samples[type] }]) => [name, value]),
  );
}
