import type { EntityKey } from '#graph/model';
import type { StepContext } from '../../run/step.ts';
import { classOfAws } from '../aws/aws-classes.ts';
import type { DocumentValue } from '../document/document-value.ts';
import { fittingKey } from '../document/fitting-key.ts';
import { RecordSet } from '../document/record-set.ts';
import { safeAttributes } from './safe-attributes.ts';
import { type TerraformInstance, withoutKeys } from './terraform-documents.ts';

export interface TerraformState {
  /** The name of its file. */
  readonly state: string;
  readonly document: DocumentValue;
  readonly instances: readonly TerraformInstance[];
}

/** Types whose entities have keys of their own sources: no others may be made of a resource. */
const OWN_TYPE = /^terraform_(?:state|module|provider|resource)$/;

/** Makes of each resource a record of Terraform's, which MANAGES the thing itself. */
export class TerraformReader {
  readonly #records = new RecordSet();
  readonly #context: Pick<StepContext<unknown>, 'ignored'>;

  constructor(context: Pick<StepContext<unknown>, 'ignored'>) {
    this.#context = context;
  }

  read({ state, document, instances }: TerraformState): void {
    const own = this.#records.entity({ type: 'terraform_state', key: fittingKey(state) }, 'CodeRepository', {
      name: state,
      terraform_version: document.text('terraform_version'),
      lineage: document.text('lineage'),
      serial: document.number('serial'),
    });
    const byResource = new Map<string, EntityKey[]>();
    for (const instance of instances) {
      const key = this.#addInstance(state, own, instance);
      const others = byResource.get(instance.resource);
      if (others === undefined) byResource.set(instance.resource, [key]);
      else others.push(key);
    }
    for (const instance of instances) this.#addDependencies(state, instance, byResource);
  }

  finish(): RecordSet {
    return this.#records;
  }

  #addInstance(state: string, root: EntityKey, instance: TerraformInstance): EntityKey {
    const { address, module, mode, type, name, provider, attributes, sensitive } = instance;
    const { plannedActions, isPlanned } = instance;
    const key = resourceKey(state, address);
    const facts = { name: address, address, mode, resource_type: type, planned_actions: plannedActions };
    this.#records.entity(key, 'Control', facts);
    this.#records.relate(this.#moduleOf(state, root, module), 'CONTAINS', key);
    if (provider !== undefined)
      this.#records.relate(
        key,
        'USES',
        this.#records.entity({ type: 'terraform_provider', key: fittingKey(provider) }, 'Application', {
          name: provider,
        }),
      );
    // A resource that is only planned does not exist.
    if (isPlanned === true) return key;
    const { facts: stored, secretCount } = safeAttributes(attributes.value, sensitive);
    if (secretCount > 0) this.#context.ignored('attributes that are secret or may be', secretCount);
    const thing = {
      type: OWN_TYPE.test(type) ? `${type}_resource` : type,
      key: thingKey(attributes, key.key),
    };
    this.#records.entity(thing, classOfAws(type), { ...stored, name: attributes.text('name') ?? name });
    this.#records.relate(key, mode === 'data' ? 'USES' : 'MANAGES', thing);
    return key;
  }

  /** The module with those around it; the state for the root module. */
  #moduleOf(state: string, root: EntityKey, module: string): EntityKey {
    if (module === '') return root;
    const parts = module.match(/module\.[^.[]+(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?/g) ?? [module];
    let holder = root;
    parts.forEach((part, index) => {
      const address = parts.slice(0, index + 1).join('.');
      const key = { type: 'terraform_module', key: fittingKey(`${state}/${address}`) };
      this.#records.entity(key, 'CodeRepository', { name: part, address });
      this.#records.relate(holder, 'CONTAINS', key);
      holder = key;
    });
    return holder;
  }

  #addDependencies(
    state: string,
    { address, dependencies }: TerraformInstance,
    byResource: ReadonlyMap<string, readonly EntityKey[]>,
  ): void {
    const own = resourceKey(state, address);
    for (const dependency of dependencies) {
      const found = byResource.get(withoutKeys(dependency)) ?? [];
      if (found.length === 0) this.#context.ignored('dependencies on resources that are not in the state');
      for (const other of found) if (other.key !== own.key) this.#records.relate(own, 'DEPENDS_ON', other);
    }
  }
}

function resourceKey(state: string, address: string): EntityKey {
  return { type: 'terraform_resource', key: fittingKey(`${state}/${address}`) };
}

/** The name by which its cloud knows a thing: an ARN, a link of Google, an id of Azure; else its address. */
function thingKey(attributes: DocumentValue, address: string): string {
  const { arn, self_link: link, id } = attributes.value;
  if (typeof arn === 'string' && arn.startsWith('arn:')) return fittingKey(arn);
  if (typeof link === 'string' && link.startsWith('https://')) return fittingKey(link);
  return typeof id === 'string' && id.startsWith('/subscriptions/') ? fittingKey(id) : address;
}
