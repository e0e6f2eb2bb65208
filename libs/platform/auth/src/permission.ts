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

/** The names of lists of data, each with what it has. */
export type DataLists = Readonly<Record<string, readonly string[]>>;

/** The part of the data that exists for a role. What the lists are of is the program's. */
export interface DataScope {
  /** What is in each of these lists. */
  readonly only?: DataLists;
  /** All but what is in any of these lists. */
  readonly except?: DataLists;
}

/** What a role may do, and with what part of the data: undefined is all. */
export interface Role {
  readonly permissions: readonly Permission[];
  readonly scope?: DataScope | undefined;
}

/** The permissions of a program, and its roles: lists of them. */
export interface AccessModel {
  readonly permissions: readonly Permission[];
  /** The lists by which a role of a keys file may be limited to a part of the data; default: none. */
  readonly scopeLists?: readonly string[];
  readonly roles: Readonly<Record<string, readonly Permission[]>>;
}

/** The roles of a program by name. */
export function ownRoles({ roles }: AccessModel): Map<string, Role> {
  return new Map(Object.entries(roles).map(([name, permissions]) => [name, { permissions }]));
}

export const GRAPH_ACCESS: AccessModel = {
  permissions: ['read', 'write', 'sources', 'policies', 'admin', 'metrics'],
  scopeLists: ['types', 'classes', 'sources'],
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
