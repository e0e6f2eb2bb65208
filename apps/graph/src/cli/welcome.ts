import { STARTER_QUERIES } from '#graph/api/http';
import type { SyncReply } from '#graph/engine';
import { parseQueryRequest, type QueryService } from '#graph/query';
import { formatTable } from '#platform/cli';
import { countedText } from '#platform/foundation';
import type { QueryReply } from './format/query-reply.ts';
import { replyTable } from './format/reply-table.ts';

/** The welcome is never cancelled by a client. */
const NEVER = { aborted: false };

/** The output after a first start: addresses, and three example queries with their current answers. */
export async function welcomeText(
  url: string,
  loaded: SyncReply,
  queries: Pick<QueryService, 'page'>,
): Promise<string> {
  const answers: string[] = [];
  for (const { name, shortText: pql } of STARTER_QUERIES) {
    const bytes = await queries.page(parseQueryRequest({ pql }), NEVER);
    const { columns, rows } = replyTable(JSON.parse(bytes.toString('utf8')) as QueryReply);
    const table = formatTable(columns, rows).replaceAll(/^/gm, '      ');
    answers.push(`  ${name}?\n    ${pql}\n\n${table}`);
  }
  const { entities_created: entities, relationships_created: relationships } = loaded;
  const counts = `${countedText(entities, 'entity', 'entities')} and ${countedText(relationships, 'relationship')}`;
  return `
Plexus listens on ${url}
Open this address in a browser for the console. The REST interface is documented on ${url}/docs

The graph contains the packages of this program: ${counts}.
Three queries about them, which are also saved:

${answers.join('\n\n')}

Further queries:  bin/plexus query --url ${url} "FIND license"
`;
}
