import type { SyncReply } from '#graph/engine';
import { parseQueryRequest, type QueryService } from '#graph/query';
import type { QueryReply } from './format/query-reply.ts';
import { replyTable } from './format/reply-table.ts';
import { formatTable } from './format/table.ts';

/** Queries worth trying on a software bill; a test holds that each has an answer on this repository's own. */
export const FIRST_QUESTIONS = [
  {
    question: 'Under which licences stands what is installed here?',
    pql: 'FIND npm_package AS p RETURN p.license, COUNT(*) AS packages ORDER BY packages DESC LIMIT 5',
  },
  {
    question: 'On which packages do most others depend when the program runs?',
    pql: `FIND npm_package WITH dev = false AS p THAT DEPENDS_ON << npm_package WITH dev = false AS user
    RETURN p.name, COUNT(*) AS dependents ORDER BY dependents DESC LIMIT 5`,
  },
  {
    question: 'What is hit if rxjs is bad?',
    pql: "FIND BLAST RADIUS FROM npm_package WITH name = 'rxjs' VIA DEPENDS_ON << LIMIT 5",
  },
] as const;

/** Nobody hangs up on a start. */
const NEVER = { aborted: false };

/**
 * What a person sees after a first start: where to go, and three questions with their answers, just asked.
 */
export async function welcomeText(
  url: string,
  loaded: SyncReply,
  queries: Pick<QueryService, 'page'>,
): Promise<string> {
  const answers: string[] = [];
  for (const { question, pql } of FIRST_QUESTIONS) {
    const bytes = await queries.page(parseQueryRequest({ pql }), NEVER);
    const { columns, rows } = replyTable(JSON.parse(bytes.toString('utf8')) as QueryReply);
    const table = formatTable(columns, rows).replaceAll(/^/gm, '      ');
    answers.push(`  ${question}\n    ${pql}\n\n${table}`);
  }
  const { entities_created: entities, relationships_created: relationships } = loaded;
  return `
Plexus listens on ${url}
It is documented, and can be tried, on ${url}/docs

The graph begins with what this program is made of: ${entities} entities and ${relationships} relationships.
Ask about them:

${answers.join('\n\n')}

Ask more:  bin/plexus query --url ${url} "FIND license"
`;
}
