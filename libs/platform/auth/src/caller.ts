import { HttpException } from '@nestjs/common';
import { type DataScope, PERMISSIONS, type Permission } from './permission.ts';

/** Who sends a request, and what this program lets it do. */
export interface Caller {
  /** The name of the key; shown in refusals. */
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  /** The only source as which it may write; undefined: any. */
  readonly source: string | undefined;
  /** The part of the data that exists for it; undefined: all. */
  readonly scope?: DataScope | undefined;
  /** When its key ends, in milliseconds since 1970; undefined where nothing is known to end it. */
  readonly endsMs?: number | undefined;
  /** What it is by now; undefined when it is no longer valid. Only of callers that no key makes. */
  readonly now?: () => Caller | undefined;
}

/** In open mode. */
export const ANYONE: Caller = { name: 'anyone', permissions: new Set(PERMISSIONS), source: undefined };

/** Who shows no key and needs none, as on public routes. */
export const NOBODY: Caller = { name: 'nobody', permissions: new Set(), source: undefined };

/** The holder of the single key. The blank is in no name of a keys file. */
export const SINGLE_KEY: Caller = {
  name: 'API key',
  permissions: new Set(PERMISSIONS),
  source: undefined,
};

/** What a handler asks of its callers. */
export interface Requirement {
  readonly permission: Permission;
  /** Whether the handler keeps a caller with a source to that source: others refuse it to write. */
  readonly keepsSource: boolean;
  /** Whether the handler answers a caller with a scope from that scope: others refuse it. */
  readonly keepsScope: boolean;
}

/** A handler that states nothing is for administrators. */
export const ADMIN_ONLY: Requirement = {
  permission: 'admin',
  keepsSource: false,
  keepsScope: false,
};

/** 401: the credentials are missing or wrong. The body has exactly these two fields. */
export class Unauthorized extends HttpException {
  /** `what` names the required credentials. */
  constructor(what = 'API key') {
    super({ error: 'Unauthorized', message: `missing or invalid ${what}` }, 401);
  }
}

/** 403: the caller lacks a permission. The body has exactly these two fields. */
export class Forbidden extends HttpException {
  /** The message of the body. */
  readonly reason: string;

  constructor({ name }: Pick<Caller, 'name'>, permission: Permission) {
    const reason = `${name} lacks the permission ${permission}`;
    super({ error: 'Forbidden', message: reason }, 403);
    this.reason = reason;
  }
}

/** The reason to refuse the caller; undefined when it may do what is required. */
export function lackOf(caller: Caller, requirement: Requirement): Forbidden | undefined {
  const { permission, keepsSource, keepsScope } = requirement;
  const isOwn = caller.source === undefined || permission !== 'write' || keepsSource;
  const isSeen = caller.scope === undefined || keepsScope;
  return caller.permissions.has(permission) && isOwn && isSeen
    ? undefined
    : new Forbidden(caller, permission);
}

/** What each kind of a statement of Cypher needs: all may show what they match, so that all need to read. */
const NEEDS = {
  r: ['read'],
  rw: ['read', 'write'],
  w: ['read', 'write'],
  s: ['read', 'admin'],
} as const satisfies Readonly<Record<string, readonly Permission[]>>;

/** Throws {@link Forbidden} for a statement of a kind that the caller may not run. */
export function requireStatement(caller: Caller, kind: keyof typeof NEEDS): void {
  for (const permission of NEEDS[kind]) {
    const fault = lackOf(caller, { permission, keepsSource: false, keepsScope: true });
    if (fault !== undefined) throw fault;
  }
}
