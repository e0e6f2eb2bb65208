/** Every permission of every program; each program has its own list of them. */
export const PERMISSIONS = [
  'read',
  'write',
  'sources',
  'policies',
  'admin',
  'metrics',
  'runs',
  'edges',
  'drain',
  'reload',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** The permissions of a program, and its roles: lists of them. */
export interface AccessModel {
  readonly permissions: readonly Permission[];
  readonly roles: Readonly<Record<string, readonly Permission[]>>;
}

export const GRAPH_ACCESS: AccessModel = {
  permissions: ['read', 'write', 'sources', 'policies', 'admin', 'metrics'],
  roles: {
    viewer: ['read'],
    editor: ['read', 'write', 'sources', 'policies'],
    admin: ['read', 'write', 'sources', 'policies', 'admin', 'metrics'],
    collector: ['write'],
    scraper: ['metrics'],
  },
};

export const HIVE_ACCESS: AccessModel = {
  permissions: ['read', 'runs', 'edges', 'admin', 'metrics'],
  roles: {
    viewer: ['read'],
    editor: ['read', 'runs', 'edges'],
    admin: ['read', 'runs', 'edges', 'admin', 'metrics'],
    edge: ['edges'],
    scraper: ['metrics'],
  },
};

export const PROXY_ACCESS: AccessModel = {
  permissions: ['drain', 'reload', 'admin'],
  roles: { editor: ['drain', 'reload'], admin: ['drain', 'reload', 'admin'] },
};

/** Roles that write as one named source only, so that a key with it needs a source. */
export const SOURCE_ROLES: ReadonlySet<string> = new Set(['collector']);
