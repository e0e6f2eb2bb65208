/** The two forms in which Terraform writes resources: its state, and the JSON of `terraform show`. */
import { isAbsent, isJsonObject, kindOf } from '#graph/model';
import { DocumentValue } from '../document/document-value.ts';

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
  /** Of a plan: `['delete', 'create']`; undefined if nothing changes. */
  readonly plannedActions?: readonly string[] | undefined;
  /** A plan creates it: there is no such thing yet. */
  readonly isPlanned?: boolean;
}

const STATE_VERSION = 4;
/** Of `terraform show -json`; a later minor version may add fields only. */
const SHOW_VERSION = /^[01]\.\d+$/;

/** Why a document does not have all that exists; undefined if it has. */
export function missingOf(
  document: DocumentValue,
  instances: readonly TerraformInstance[],
): string | undefined {
  if (document.flag('errored') === true) return 'the plan ended with an error';
  if (document.flag('complete') === false) return 'the plan leaves out resources, by -target or until later';
  const existing = new Set(
    instances.filter(({ isPlanned }) => isPlanned !== true).map(({ address }) => address),
  );
  for (const each of changesOf(document)) {
    const address = addressOfChange(each);
    if (each.object('change').has('before') && !existing.has(address))
      return `the plan changes ${address}, which its prior state does not have`;
  }
  return undefined;
}

/** Throws INVALID_REQUEST for a document of another kind or version. */
export function instancesOf(document: DocumentValue): readonly TerraformInstance[] {
  if (document.has('format_version')) return instancesOfShow(document);
  const { version } = document.value;
  if (version !== STATE_VERSION) {
    const got = typeof version === 'number' ? String(version) : 'another document';
    throw document.fault('version', `expected the version ${STATE_VERSION} of a state, got ${got}`);
  }
  return document.requiredObjects('resources').flatMap(instancesOfState);
}

function instancesOfState(resource: DocumentValue): readonly TerraformInstance[] {
  const mode = resource.required('mode');
  const type = resource.required('type');
  const name = resource.required('name');
  const module = resource.text('module') ?? '';
  const own = addressOf({ module, mode, type, name });
  const [, provider] = /\["([^"]+)"\]/.exec(resource.text('provider') ?? '') ?? [];
  return resource.requiredObjects('instances').map((instance) => ({
    address: own + keyOf(instance, 'index_key') + deposedOf(instance, 'deposed'),
    resource: withoutKeys(own),
    module,
    mode,
    type,
    name,
    provider,
    attributes: attributesOf(instance),
    sensitive: sensitivePaths(instance),
    dependencies: instance.texts('dependencies'),
  }));
}

/** An object that was replaced and is still to be destroyed exists beside the one in its place. */
function deposedOf(holder: DocumentValue, field: string): string {
  const key = holder.text(field);
  return key === undefined ? '' : ` (deposed ${key})`;
}

/** All flat values are texts. */
const FLAT_FLAGS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * A state that was upgraded from version 3 has flat attributes until its resource is refreshed: `tags.%` and
 * `ingress.0.port` stand for nested values, which are not stored.
 */
function attributesOf(instance: DocumentValue): DocumentValue {
  if (instance.has('attributes') || !instance.has('attributes_flat')) return instance.object('attributes');
  const flat = instance.object('attributes_flat');
  const own = Object.entries(flat.value).filter(([name]) => !name.includes('.'));
  const plain = own.map(([name, value]) => [name, FLAT_FLAGS.get(value) ?? value] as const);
  return new DocumentValue(Object.fromEntries(plain), flat.place);
}

/** Each path begins with the name of an attribute. Earlier versions have no steps, but JSON of them. */
function sensitivePaths(instance: DocumentValue): ReadonlySet<string> {
  const paths = instance.value['sensitive_attributes'];
  const found = new Set<string>();
  if (isAbsent(paths)) return found;
  const expected = 'expected a list of paths of attributes';
  if (!Array.isArray(paths))
    throw instance.fault('sensitive_attributes', `${expected}, got ${kindOf(paths)}`);
  for (const path of paths as readonly unknown[]) {
    const first: unknown = Array.isArray(path) ? path[0] : path;
    // What is secret must be known: nothing of such an instance may be shown.
    if (!isJsonObject(first) || typeof first['value'] !== 'string')
      throw instance.fault('sensitive_attributes', `${expected}, got ${kindOf(first)} in it`);
    found.add(first['value']);
  }
  return found;
}

function instancesOfShow(document: DocumentValue): readonly TerraformInstance[] {
  const version = document.required('format_version');
  if (!SHOW_VERSION.test(version))
    throw document.fault('format_version', `expected 0.1 to 1.x, got ${version.slice(0, 40)}`);
  if (document.has('planned_values')) return instancesOfPlan(document);
  if (!document.has('values') && document.has('resource_changes'))
    throw document.fault('planned_values', 'expected the planned values of a plan, got none');
  return instancesOfValues(document.object('values'));
}

/**
 * What exists is what the plan found before it; what it would leave is a plan, be it nothing at all. It adds
 * what would be created.
 */
function instancesOfPlan(document: DocumentValue): readonly TerraformInstance[] {
  const changes = changesOf(document);
  const actions = new Map(
    changes.map((each) => [addressOfChange(each), each.object('change').texts('actions')]),
  );
  const existing = instancesOfValues(document.at('prior_state', 'values'));
  const known = new Set(existing.map(({ address }) => address));
  const planned = instancesOfValues(document.object('planned_values'))
    .filter(({ address }) => !known.has(address))
    .map((instance) => ({ ...instance, isPlanned: true }));
  return [...existing, ...planned].map((instance) => {
    const found = actions.get(instance.address)?.filter((action) => action !== 'no-op') ?? [];
    return found.length === 0 ? instance : { ...instance, plannedActions: found };
  });
}

function changesOf(document: DocumentValue): readonly DocumentValue[] {
  return document.objects('resource_changes');
}

function addressOfChange(change: DocumentValue): string {
  return change.required('address') + deposedOf(change, 'deposed');
}

function instancesOfValues(values: DocumentValue): readonly TerraformInstance[] {
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
    address: wholeAddress(stated, module, keyOf(resource, 'index')) + deposedOf(resource, 'deposed_key'),
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
function wholeAddress(stated: string, module: string, key: string): string {
  const inModule = module === '' || stated.startsWith(`${module}.`) ? stated : `${module}.${stated}`;
  return inModule.endsWith(']') ? inModule : inModule + key;
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

function keyOf(resource: DocumentValue, field: string): string {
  const index = resource.value[field];
  if (isAbsent(index)) return '';
  if (typeof index === 'number') return `[${index}]`;
  if (typeof index === 'string') return `[${JSON.stringify(index)}]`;
  throw resource.fault(field, `expected the key of an instance, got ${kindOf(index)}`);
}

/** Dependencies name resources, not their instances, nor those of their modules. */
export function withoutKeys(address: string): string {
  return address.replace(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, '');
}
