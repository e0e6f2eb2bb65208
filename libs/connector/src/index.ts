export type { DependencyKind } from './connectors/sbom/lock-entry.ts';
export type { UnresolvedDependency } from './connectors/sbom/package-graph.ts';
export { readPackageLock, type SoftwareBill } from './connectors/sbom/read-package-lock.ts';
