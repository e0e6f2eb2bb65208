/** Instances and security groups: what can be reached from where. */
import type { EntityKey } from '#graph/model';
import type { DocumentValue } from '../document/document-value.ts';
import { INTERNET, isAnywhere } from '../document/internet.ts';
import type { StepContext } from '../../run/step.ts';
import type { RecordSet } from '../document/record-set.ts';
import { arnOf, awsKey, regionOf } from './aws-names.ts';

type Family = 'IPv4' | 'IPv6';

export const BOTH_FAMILIES: readonly Family[] = ['IPv4', 'IPv6'];

/** Something that security groups protect: a network interface of it. */
interface Protected {
  readonly key: EntityKey;
  readonly groups: readonly string[];
  /** The families of which it has addresses that the internet can reach. */
  readonly families: readonly Family[];
}

/** A rule that lets all addresses of a family in. */
interface OpenRule {
  readonly family: Family;
  readonly ports: string;
}

export interface Place {
  readonly region: string | undefined;
  readonly account: string | undefined;
}

export class NetworkReader {
  readonly #records: RecordSet;
  readonly #place: Place;
  readonly #groups: DocumentValue[] = [];
  readonly #protected: Protected[] = [];
  /** By the id of a security group: an answer about groups may not say their region. */
  readonly #places = new Map<string, Place>();
  readonly #arns = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #context: Pick<StepContext<unknown>, 'ignored'>;

  constructor(records: RecordSet, place: Place, context: Pick<StepContext<unknown>, 'ignored'>) {
    this.#records = records;
    this.#place = place;
    this.#context = context;
  }

  readInstance(instance: DocumentValue, owner: string | undefined): void {
    const id = instance.required('InstanceId');
    const region =
      regionOf(instance.object('Placement').text('AvailabilityZone') ?? '') ?? this.#place.region;
    const account = owner ?? this.#place.account;
    const arn =
      region === undefined || account === undefined
        ? id
        : arnOf({ service: 'ec2', region, account, resource: `instance/${id}` });
    const tags = instance.objects('Tags').map((tag) => [tag.text('Key'), tag.text('Value')] as const);
    const key = this.#records.entity(awsKey('aws_instance', arn), 'Host', {
      name: tags.find(([name]) => name === 'Name')?.[1] ?? id,
      id,
      arn: arn === id ? undefined : arn,
      instance_type: instance.text('InstanceType'),
      state: instance.object('State').text('Name'),
      image_id: instance.text('ImageId'),
      public_ip: instance.text('PublicIpAddress'),
      private_ip: instance.text('PrivateIpAddress'),
      subnet_id: instance.text('SubnetId'),
      vpc_id: instance.text('VpcId'),
      region,
    });
    const profile = instance.object('IamInstanceProfile').text('Arn');
    if (profile !== undefined) {
      const own = awsKey('aws_iam_instance_profile', profile);
      this.#records.relate(
        key,
        'USES',
        this.#records.entity(own, 'Role', { name: profile.split('/').at(-1) }),
      );
    }
    for (const each of this.#interfacesOf(instance)) this.protect({ key, ...each }, { region, account });
  }

  /** The groups and the address that an instance states are those of its first interface. */
  #interfacesOf(instance: DocumentValue): readonly Omit<Protected, 'key'>[] {
    const interfaces = instance.objects('NetworkInterfaces');
    if (interfaces.length > 0)
      return interfaces.map((each) => ({
        groups: this.#groupsOf(each, 'Groups'),
        families: reachedFamilies(each),
      }));
    const isPublic = instance.text('PublicIpAddress') !== undefined;
    return [{ groups: this.#groupsOf(instance, 'SecurityGroups'), families: isPublic ? ['IPv4'] : [] }];
  }

  /** Their ids; their names are known from here if no answer is about the groups. */
  #groupsOf(holder: DocumentValue, field: string): readonly string[] {
    return holder.objects(field).map((group) => {
      const id = group.required('GroupId');
      const name = group.text('GroupName');
      if (name !== undefined) this.#names.set(id, name);
      return id;
    });
  }

  protect(thing: Protected, place: Place): void {
    this.#protected.push(thing);
    for (const group of thing.groups) {
      const known = this.#places.get(group);
      this.#places.set(group, {
        region: known?.region ?? place.region,
        account: known?.account ?? place.account,
      });
    }
  }

  readGroup(group: DocumentValue): void {
    const id = group.required('GroupId');
    const arn = group.text('SecurityGroupArn');
    if (arn !== undefined) this.#arns.set(id, arn);
    const known = this.#places.get(id);
    this.#places.set(id, { region: known?.region, account: group.text('OwnerId') ?? known?.account });
    this.#groups.push(group);
  }

  finish(): void {
    const open = new Map<string, readonly OpenRule[]>();
    for (const group of this.#groups) open.set(group.required('GroupId'), this.#readRules(group));
    for (const { key, groups, families } of this.#protected)
      for (const id of groups) {
        this.#records.relate(this.#groupKey(id), 'PROTECTS', key);
        const reached = (open.get(id) ?? []).filter(({ family }) => families.includes(family));
        if (reached.length > 0) this.#fromInternet(key, portsOfAll(reached));
      }
  }

  /** What all addresses may reach. */
  #readRules(group: DocumentValue): readonly OpenRule[] {
    const id = group.required('GroupId');
    const place = this.#placeOf(id, this.#place);
    const key = this.#groupKey(id);
    const open: OpenRule[] = [];
    let hasUnknown = false;
    for (const rule of group.objects('IpPermissions')) {
      const ports = portsOf(rule);
      const ranges = [
        ...rule.objects('IpRanges').map((each) => ['IPv4', each.text('CidrIp')] as const),
        ...rule.objects('Ipv6Ranges').map((each) => ['IPv6', each.text('CidrIpv6')] as const),
      ];
      for (const [family, range] of ranges)
        if (range !== undefined && isAnywhere(range)) open.push({ family, ports });
      const lists = rule.objects('PrefixListIds').length;
      this.#context.ignored('rules for prefix lists, whose ranges are not in the answer', lists);
      hasUnknown ||= lists > 0;
      for (const pair of rule.objects('UserIdGroupPairs')) {
        const other = pair.text('GroupId');
        if (other === undefined) continue;
        const from = { ...place, account: pair.text('UserId') ?? place.account };
        this.#records.relate(this.#groupKey(other, from), 'CONNECTS', key, { ports: [ports] });
      }
    }
    const all = portsOfAll(open);
    this.#records.entity(key, 'Firewall', {
      name: group.text('GroupName'),
      description: group.text('Description'),
      vpc_id: group.text('VpcId'),
      open_to_internet: all.length > 0 || (hasUnknown ? undefined : false),
    });
    if (all.length > 0) this.#fromInternet(key, all);
    return open;
  }

  #fromInternet(key: EntityKey, ports: readonly string[]): void {
    const internet = this.#records.entity(INTERNET, 'Network', { name: 'Internet' });
    this.#records.relate(internet, 'CONNECTS', key, { ports });
  }

  /** `from`: where it is named, for a group that no answer is about. */
  #groupKey(id: string, from: Place = this.#place): EntityKey {
    const arn = this.#arns.get(id) ?? groupArn(id, this.#placeOf(id, from));
    const key = awsKey('aws_security_group', arn);
    return this.#records.entity(key, 'Firewall', { id, name: this.#names.get(id) });
  }

  #placeOf(id: string, from: Place): Place {
    const known = this.#places.get(id);
    const { region, account } = this.#place;
    return {
      region: known?.region ?? from.region ?? region,
      account: known?.account ?? from.account ?? account,
    };
  }
}

function groupArn(id: string, { region, account }: Place): string {
  if (region === undefined || account === undefined) return id;
  return arnOf({ service: 'ec2', region, account, resource: `security-group/${id}` });
}

/** Of an interface: a public address of the old family, or any of the new one. */
function reachedFamilies(network: DocumentValue): readonly Family[] {
  const addresses = [network, ...network.objects('PrivateIpAddresses')];
  const hasPublic = addresses.some((each) => each.object('Association').text('PublicIp') !== undefined);
  const added = network.objects('Ipv6Addresses').flatMap((each) => each.text('Ipv6Address') ?? []);
  // fc00::/7 and fe80::/10 are reached from within only.
  const hasNew = added.some((address) => !/^f[cde]/i.test(address));
  return BOTH_FAMILIES.filter((family) => (family === 'IPv4' ? hasPublic : hasNew));
}

function portsOfAll(rules: readonly OpenRule[]): readonly string[] {
  return [...new Set(rules.map(({ ports }) => ports))].sort();
}

/** `tcp/22`, `udp/53-54`, `all`. */
function portsOf(rule: DocumentValue): string {
  const protocol = rule.text('IpProtocol') ?? '-1';
  const [from, to] = [rule.number('FromPort'), rule.number('ToPort')];
  if (protocol === '-1') return 'all';
  if (from === undefined || to === undefined) return protocol;
  return from === to ? `${protocol}/${from}` : `${protocol}/${from}-${to}`;
}
