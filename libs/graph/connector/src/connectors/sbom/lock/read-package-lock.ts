import type { EntityInput, EntityKey, RelationshipInput } from '#graph/model';
import { parseLockFile } from './lock-file.ts';
import { PackageGraph, type UnresolvedDependency } from './package-graph.ts';

export interface SoftwareBill {
  readonly entities: readonly EntityInput[];
  /** All ends are among the entities. */
  readonly relationships: readonly RelationshipInput[];
  /** Missing required dependencies; missing optional ones are not listed. */
  readonly unresolved: readonly UnresolvedDependency[];
  /** The project, if not all that it depends on is known. */
  readonly unknownRoot?: EntityKey | undefined;
  /** Values that are not as expected and left out. */
  readonly warnings: readonly string[];
  /** Whether no value was left out because it was not understood. */
  readonly isWhole: boolean;
}

/**
 * The content of a package-lock.json as a graph; `manifest` is the package.json beside it, for version 1:
 *
 * - `npm_project` (Project) for the root and each workspace, keyed by name;
 * - `npm_package` (Package) for each name and version, `express@5.1.0`, for all installed copies;
 * - `license` (License) for each licence in an SPDX expression;
 * - DEPENDS_ON with `kind` and `range`, resolved as npm and Node do; LICENSED_UNDER; a root CONTAINS
 *   workspaces.
 *
 * An entry or value that is not as expected is left out with a warning. Throws INVALID_REQUEST for a text
 * that is no lock file.
 */
export function readPackageLock(text: string, manifest?: string): SoftwareBill {
  const lock = parseLockFile(text, manifest);
  const graph = new PackageGraph(lock);
  return {
    entities: graph.entities(),
    relationships: graph.relationships(),
    unresolved: graph.unresolved,
    unknownRoot: lock.isRootKnown ? undefined : graph.root,
    warnings: lock.values.warnings,
    isWhole: lock.values.isWhole,
  };
}
