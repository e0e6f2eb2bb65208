/** The two forms in which Terraform writes resources: its state, and the JSON of `terraform show`. */
import { isJsonObject } from '#graph/model';
import type { DocumentValue } from '../document/document-value.ts';

/** One instance of a resource. */
export interface TerraformInstance {
  /** `module.net.aws_subnet.a["x"]`. */
  readonly address: string;
  /** Without the keys of instances: by it, others depend on it. */
  readonly resource: string;
  /** `module.net`; empty in the root module. */
  readonly module: string;
  readonly mode: string;
  readonly type: string;
  readonly name: string;
  /** `registry.terraform.io/hashicorp/aws`. */
  readonly provider: string | undefined;
  readonly attributes: DocumentValue;
  /** Names of attributes that are sensitive, or have a sensitive part. */
  readonly sensitive: ReadonlySet<string>;
  readonly dependencies: readonly string[];
}

const STATE_VERSION = 4;

/** Throws INVALID_REQUEST for a document of another kind or version. */
export function instancesOf(document: DocumentValue): readonly TerraformInstance[] {
  if (document.has('format_version')) return instancesOfShow(document);
  const { version } = document.value;
  if (version !== STATE_VERSION) {
    const got = typeof version === 'number' ? String(version) : 'another document';
    throw document.fault('version', `expected the version ${STATE_VERSION} of a state, got ${got}`);
  }
  return document.objects('resources').flatMap(instancesOfState);
}

function instancesOfState(resource: DocumentValue): readonly TerraformInstance[] {
  const mode = resource.required('mode');
  const type = resource.required('type');
  const name = resource.required('name');
  const module = resource.text('module') ?? '';
  const own = addressOf({ module, mode, type, name });
  const [, provider] = /\["([^"]+)"\]/.exec(resource.text('provider') ?? '') ?? [];
  return resource.objects('instances').map((instance) => ({
    address: own + keyOf(instance.value['index_key']),
    resource: withoutKeys(own),
    module,
    mode,
    type,
    name,
    provider,
    attributes: instance.object('attributes'),
    sensitive: sensitivePaths(instance),
    dependencies: instance.texts('dependencies'),
  }));
}

/** Each path begins with the name of an attribute. Earlier versions have no steps, but JSON of them. */
function sensitivePaths(instance: DocumentValue): ReadonlySet<string> {
  const paths = instance.value['sensitive_attributes'];
  const found = new Set<string>();
  for (const path of Array.isArray(paths) ? (paths as readonly unknown[]) : []) {
    const first: unknown = Array.isArray(path) ? path[0] : path;
    if (isJsonObject(first) && typeof first['value'] === 'string') found.add(first['value']);
  }
  return found;
}

function instancesOfShow(document: DocumentValue): readonly TerraformInstance[] {
  const values = document.has('planned_values')
    ? document.object('planned_values')
    : document.object('values');
  if (!document.has('planned_values') && !document.has('values') && document.has('resource_changes'))
    throw document.fault('planned_values', 'expected the planned values of a plan, got none');
  const found: TerraformInstance[] = [];
  const open = [values.object('root_module')];
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    const address = module.text('address') ?? '';
    for (const each of module.objects('resources')) found.push(instanceOfShow(each, address));
    open.push(...module.objects('child_modules'));
  }
  return found;
}

function instanceOfShow(resource: DocumentValue, module: string): TerraformInstance {
  const mode = resource.required('mode');
  const type = resource.required('type');
  const name = resource.required('name');
  const stated = resource.required('address');
  const marks = Object.entries(resource.object('sensitive_values').value);
  return {
    address: wholeAddress(stated, module, resource.value['index']),
    resource: withoutKeys(addressOf({ module, mode, type, name })),
    module,
    mode,
    type,
    name,
    provider: resource.text('provider_name'),
    attributes: resource.object('values'),
    sensitive: new Set(marks.filter(([, mark]) => isMarked(mark)).map(([field]) => field)),
    dependencies: resource.texts('depends_on'),
  };
}

/** Terraform 0.12 leaves the module and the key of an instance out. */
function wholeAddress(stated: string, module: string, index: unknown): string {
  const inModule = module === '' || stated.startsWith(`${module}.`) ? stated : `${module}.${stated}`;
  return inModule.endsWith(']') ? inModule : inModule + keyOf(index);
}

/** `true`, or an object or list with a true in it. */
function isMarked(mark: unknown): boolean {
  if (typeof mark !== 'object' || mark === null) return mark === true;
  return Object.values(mark).some(isMarked);
}

function addressOf({
  module,
  mode,
  type,
  name,
}: Pick<TerraformInstance, 'module' | 'mode' | 'type' | 'name'>): string {
  const parts = [module, mode === 'data' ? 'data' : '', type, name];
  return parts.filter((part) => part !== '').join('.');
}

function keyOf(index: unknown): string {
  if (typeof index === 'number') return `[${index}]`;
  return typeof index === 'string' ? `[${JSON.stringify(index)}]` : '';
}

/** Dependencies name resources, not their instances, nor those of their modules. */
export function withoutKeys(address: string): string {
  return address.replace(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, '');
}
