/** Elements of AzureHound: `{kind, data}`. */
import { isJsonObject, type JsonObject } from '#graph/model';
import { misfitIn } from '../document/shape.ts';
import { azureEdgeReader, azureObjectEdges, SECRET_ROLES } from './azurehound-edges.ts';
import { AZURE_FORMS, azureObject, azureRolePolicy, roleId } from './azurehound-objects.ts';
import { AZURE_DATA } from './shapes.ts';
import { type Edge, lostStatement, type Principal, principalOf, type Statement } from './statement.ts';

/** What an element states; kinds that are not read are named. */
export function azureStatement({ kind, data }: JsonObject): Statement {
  if (typeof kind !== 'string' || !isJsonObject(data)) return lostStatement('it has no kind or no data');
  const lost = misfitIn(data, AZURE_DATA);
  const form = AZURE_FORMS.get(kind);
  if (form !== undefined) {
    const object = azureObject(kind, form, data);
    if (object === undefined) return lostStatement(`it is an ${kind} without an id`);
    const { id } = principalOf(object.id, kind);
    return { objects: [{ ...object, id }], edges: azureObjectEdges(kind, id, form, data), lost };
  }
  const edges = azureEdgeReader(kind);
  if (edges === undefined) return { objects: [], edges: [], ignored: `AzureHound's ${kind.slice(0, 60)}` };
  const id =
    kind === 'AZRoleManagementPolicyAssignment' && roleId(data['roleDefinitionId'], data['tenantId']);
  return { objects: typeof id === 'string' ? [azureRolePolicy(id, data)] : [], edges: edges(data), lost };
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
