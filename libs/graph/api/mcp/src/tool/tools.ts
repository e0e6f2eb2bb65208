import { CHANGES_TOOL, FINDING_CHANGES_TOOL, QUERY_CHANGES_TOOL } from './changes-tool.ts';
import { FIND_ENTITY_TOOL, NEIGHBORS_TOOL } from './entity-tools.ts';
import { BLAST_RADIUS_TOOL, SHORTEST_PATH_TOOL } from './path-tools.ts';
import { FINDINGS_TOOL, POSTURE_TOOL } from './policy-tools.ts';
import { EXPLAIN_TOOL, QUERY_TOOL } from './query-tools.ts';
import { SCHEMA_TOOL } from './schema-tool.ts';
import { SEARCH_TOOL } from './search-tool.ts';
import type { Tool } from './tool.ts';

/** All tools, in the order of listing. */
export const TOOLS: readonly Tool[] = [
  QUERY_TOOL,
  EXPLAIN_TOOL,
  SCHEMA_TOOL,
  SEARCH_TOOL,
  FIND_ENTITY_TOOL,
  NEIGHBORS_TOOL,
  SHORTEST_PATH_TOOL,
  BLAST_RADIUS_TOOL,
  CHANGES_TOOL,
  QUERY_CHANGES_TOOL,
  POSTURE_TOOL,
  FINDINGS_TOOL,
  FINDING_CHANGES_TOOL,
];
