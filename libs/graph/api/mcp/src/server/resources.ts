import type { Disk } from '#platform/disk';
import { installedPath } from '#platform/foundation';
import { fittedItems } from '../answers/fitted-items.ts';
import type { GraphAnswers } from '../answers/graph-answers.port.ts';
import { schemaAnswer } from '../tool/schema-tool.ts';

const PAGE = installedPath('docs', 'pql.md');

/** The PQL documentation shipped with the program. */
export class PqlReference {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  text(): Promise<string> {
    return this.#disk.readText(PAGE);
  }
}

/** A readable text with its URI. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

const JSON_TYPE = 'application/json';
const QUERY_PREFIX = 'plexus://queries/';
/** Maximum number of saved queries listed individually; plexus://queries lists more. */
const LISTED_MAX = 100;

const FIXED: readonly Resource[] = [
  {
    uri: 'plexus://schema',
    name: 'schema',
    title: 'Words of this graph',
    description: 'Classes, types with their properties, and verbs of the live data, with counts.',
    mimeType: JSON_TYPE,
  },
  {
    uri: 'plexus://pql',
    name: 'pql',
    title: 'PQL, the query language',
    description: 'The whole reference: read it before writing a query that is more than a lookup.',
    mimeType: 'text/markdown',
  },
  {
    uri: 'plexus://queries',
    name: 'queries',
    title: 'Saved queries',
    description: 'Queries that people have saved, with what they tell, their tags and parameters.',
    mimeType: JSON_TYPE,
  },
];

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${QUERY_PREFIX}{name}`,
    name: 'query',
    title: 'A saved query',
    description: 'One saved query by its name.',
    mimeType: JSON_TYPE,
  },
];

export interface ResourceParts {
  readonly answers: GraphAnswers;
  readonly reference: PqlReference;
  readonly signal: AbortSignal;
}

export async function listResources({ answers, signal }: ResourceParts): Promise<readonly Resource[]> {
  const saved = await answers.savedQueries(signal);
  const queries = saved.slice(0, LISTED_MAX).map(({ name, description }) => ({
    uri: QUERY_PREFIX + encodeURIComponent(name),
    name,
    title: name,
    description: description === '' ? 'A saved query.' : description,
    mimeType: JSON_TYPE,
  }));
  return [...FIXED, ...queries];
}

/** Undefined for an unknown URI. */
export async function readResource(
  uri: string,
  { answers, reference, signal }: ResourceParts,
): Promise<{ readonly uri: string; readonly mimeType: string; readonly text: string } | undefined> {
  const json = (value: unknown) => ({ uri, mimeType: JSON_TYPE, text: JSON.stringify(value, null, 1) });
  switch (uri) {
    case 'plexus://schema':
      return json(schemaAnswer(await answers.schema(signal), {}));
    case 'plexus://pql':
      return { uri, mimeType: 'text/markdown', text: await reference.text() };
    case 'plexus://queries': {
      const saved = await answers.savedQueries(signal);
      const { items } = fittedItems(saved);
      return json({ count: saved.length, shown: items.length, queries: items });
    }
  }
  const name = uri.startsWith(QUERY_PREFIX) ? decoded(uri.slice(QUERY_PREFIX.length)) : undefined;
  const found = (await answers.savedQueries(signal)).find((query) => query.name === name);
  return found && json(found);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
