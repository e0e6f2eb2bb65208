import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withGraphService } from './support/graph-service.mjs';

export const source =
  "the queries in JupiterOne's public documentation, https://github.com/JupiterOne-Archives/docs, with PLEXUS_TEST_DATA/j1ql, its Markdown";

const FOLDER = join(process.env.PLEXUS_TEST_DATA ?? '/nonexistent', 'j1ql');
const BLOCK = /^[ \t]*```j1ql[^\n]*\n(.*?)^[ \t]*```/gims;
/** What docs/pql.md says is written otherwise, and what is no query: templates, two queries in one block. */
const OTHERWISE = [
  [/^find\s+["'#]/i, 'a search in texts, or a smart class'],
  [/\)\?\s*as\b/i, 'an alias of an optional part'],
  [/\{|\sfind\s/i, 'a template, or two queries'],
];

/** Each different query is one test: it is read, or written otherwise by docs/pql.md. */
export function run() {
  if (!existsSync(FOLDER))
    return { passed: 0, failed: 0, skipped: 1, notes: [`skipped: PLEXUS_TEST_DATA/j1ql is not there`] };
  return withGraphService(async ({ url }) => {
    const queries = queriesIn(FOLDER);
    const other = new Map();
    const failed = [];
    for (const pql of queries) {
      if (await isRead(url, pql)) continue;
      const [, form] = OTHERWISE.find(([pattern]) => pattern.test(pql)) ?? [];
      if (form === undefined) failed.push(pql);
      else other.set(form, (other.get(form) ?? 0) + 1);
    }
    const count = [...other.values()].reduce((sum, each) => sum + each, 0);
    const notes = [
      `${queries.length - failed.length - count} of ${queries.length} queries are read`,
      ...[...other].map(([form, number]) => `${number} written otherwise: ${form}`),
      ...failed,
    ];
    return { passed: queries.length - failed.length, failed: failed.length, notes };
  });
}

/** The different queries in the blocks, which empty lines separate. */
function queriesIn(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md'));
  const blocks = files.flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(BLOCK)]);
  const texts = blocks.flatMap(([, text]) => text.split(/\n\s*\n/)).map(withoutComments);
  const distinct = new Map(texts.map((text) => [text.replace(/\s+/g, ' '), text]));
  return [...distinct.values()].filter((text) => /^find\b/i.test(text));
}

function withoutComments(text) {
  return text.replace(/^\s*(\/\/|#|--).*$/gm, '').trim();
}

async function isRead(url, pql) {
  const reply = await fetch(`${url}/v1/query/format`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ pql }),
  });
  const { error } = await reply.json();
  if (!reply.ok && error !== 'PQL_SYNTAX') throw new Error(`${reply.status} ${error}: ${pql}`);
  return reply.ok;
}
