import { checked, record, string, YamlDocument } from '#platform/config';
import type { Caller } from '../caller.ts';
import { type Role, SOURCE_ROLES } from '../permission.ts';

/** The roles that exist by now. */
export type RolesNow = () => ReadonlyMap<string, Role>;

const TEXT = string('1 to 1024 characters');
const GROUPS_MAX = 1_000;
const SHAPE = checked(record(TEXT, record(TEXT, TEXT, { max: GROUPS_MAX }), { max: 1 }), (claims) =>
  Object.keys(claims).length === 1
    ? undefined
    : 'expected a claim, and which role each of its groups has, such as groups: {platform: admin}',
);

/** Which role each group of a provider has here. */
export class GroupRoles {
  /** The claim, as a path where it is inside another one. */
  readonly #claim: string;
  readonly #roleOf: ReadonlyMap<string, string>;
  readonly #roles: RolesNow;

  /**
   * Reads `<claim>: {<group>: <role>, …}`, for which `variable` stands in messages. Throws INVALID_CONFIG for
   * a text of another form, and for a role that does not exist or that needs a source.
   */
  static parse(text: string, variable: string, roles: RolesNow): GroupRoles {
    const document = YamlDocument.parse(text, variable);
    const [[claim, groups] = ['', {}]] = Object.entries(document.read(SHAPE, [], document.value ?? {}));
    const known = [...roles().keys()].filter((role) => !SOURCE_ROLES.has(role));
    for (const [group, role] of Object.entries(groups))
      if (!known.includes(role))
        throw document.fault([claim, group], `expected one of the roles ${known.join(', ')}`);
    return new GroupRoles(claim, new Map(Object.entries(groups)), roles);
  }

  private constructor(claim: string, roleOf: ReadonlyMap<string, string>, roles: RolesNow) {
    this.#claim = claim;
    this.#roleOf = roleOf;
    this.#roles = roles;
  }

  /** The groups of the claims that have a role here. */
  groupsIn(claims: object): readonly string[] {
    const value = memberOf(claims, this.#claim) ?? inside(claims, this.#claim.split('.'));
    const groups: readonly unknown[] = Array.isArray(value) ? value : [value];
    return groups.filter((group) => typeof group === 'string').filter((group) => this.#roleOf.has(group));
  }

  /**
   * What members of the groups may do by now; undefined where no group has a role, or none is left. A role
   * that reads without a scope shows everything; of several scopes, that of the first group holds.
   */
  accessOf(groups: readonly string[]): Pick<Caller, 'permissions' | 'scope'> | undefined {
    const known = this.#roles();
    const roles = groups.flatMap((group) => known.get(this.#roleOf.get(group) ?? '') ?? []);
    if (roles.length === 0) return undefined;
    const reading = roles.filter(({ permissions }) => permissions.includes('read'));
    const seesAll = reading.some(({ scope }) => scope === undefined);
    const permissions = new Set(roles.flatMap((role) => role.permissions));
    return { permissions, scope: seesAll ? undefined : reading[0]?.scope };
  }
}

function inside(value: unknown, path: readonly string[]): unknown {
  return path.reduce((part, name) => memberOf(part, name), value);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
