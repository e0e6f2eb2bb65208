/** Elements of AzureHound: `{kind, data}`. */
import { isJsonObject, type JsonObject } from '#graph/model';
import { misfitIn } from '../document/shape.ts';
import { azureEdgeReader, azureObjectEdges, SECRET_ROLES } from './azurehound-edges.ts';
import { AZURE_FORMS, azureObject, azureParts, azureRolePolicy } from './azurehound-objects.ts';
import { AZURE_DATA } from './shapes.ts';
import { type Edge, lostStatement, type Principal, principalOf, type Statement } from './statement.ts';

/** What an element states; kinds that are not read are named. */
export function azureStatement({ kind, data }: JsonObject): Statement {
  if (typeof kind !== 'string' || !isJsonObject(data)) return lostStatement('it has no kind or no data');
  const lost = misfitIn(data, AZURE_DATA);
  const parts = azureParts(kind, data);
  const form = AZURE_FORMS.get(kind);
  if (form !== undefined) {
    const object = azureObject(kind, form, data);
    if (object === undefined) return lostStatement(`it is an ${kind} without an id`);
    const own = { ...object, id: principalOf(object.id, kind).id };
    return { objects: [own, ...parts], edges: azureObjectEdges(kind, own.id, form, data), lost };
  }
  const reader = azureEdgeReader(kind);
  if (reader === undefined) return { objects: [], edges: [], ignored: [unread(kind)] };
  const read = [...reader(data)];
  const policy = kind === 'AZRoleManagementPolicyAssignment' ? azureRolePolicy(data) : undefined;
  return {
    objects: policy === undefined ? parts : [policy],
    edges: read.filter((each) => typeof each !== 'string'),
    ignored: read.filter((each) => typeof each === 'string').map(unread),
    lost,
  };
}

function unread(what: string): string {
  return `AzureHound's ${what.slice(0, 100)}`;
}

interface Tenant {
  readonly roles: Principal[];
  readonly applications: Principal[];
}

/** Roles over all applications of their tenant, which no single element states. */
export class AzureTenants {
  readonly #tenants = new Map<string, Tenant>();

  /** Call it with every edge. */
  see({ from, verb, to }: Edge): void {
    if (verb !== 'AZContains' || from.kind !== 'AZTenant') return;
    const tenant = this.#tenants.get(from.id) ?? { roles: [], applications: [] };
    this.#tenants.set(from.id, tenant);
    const [definition = ''] = to.id.split('@');
    if (to.kind === 'AZRole' && SECRET_ROLES.has(definition)) tenant.roles.push(to);
    if (to.kind === 'AZApp' || to.kind === 'AZServicePrincipal') tenant.applications.push(to);
  }

  *edges(): Generator<Edge> {
    for (const { roles, applications } of this.#tenants.values())
      for (const from of roles)
        for (const to of applications) yield { from, verb: 'AZAddSecret', to, properties: {} };
  }
}
