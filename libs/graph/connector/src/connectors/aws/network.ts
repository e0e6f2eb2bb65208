/** Instances and security groups: what can be reached from where. */
import type { EntityKey } from '#graph/model';
import type { DocumentValue } from '../document/document-value.ts';
import { INTERNET, isAnywhere } from '../document/internet.ts';
import type { RecordSet } from '../document/record-set.ts';
import { arnOf, awsKey, regionOf } from './aws-names.ts';

/** Something that security groups protect. */
interface Protected {
  readonly key: EntityKey;
  readonly groups: readonly string[];
  readonly isPublic: boolean;
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
  /** Regions by the id of a security group: an answer about groups may not say theirs. */
  readonly #regions = new Map<string, Place>();
  readonly #names = new Map<string, string>();

  constructor(records: RecordSet, place: Place) {
    this.#records = records;
    this.#place = place;
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
    const address = instance.text('PublicIpAddress');
    const key = this.#records.entity(awsKey('aws_instance', arn), 'Host', {
      name: tags.find(([name]) => name === 'Name')?.[1] ?? id,
      id,
      arn: arn === id ? undefined : arn,
      instance_type: instance.text('InstanceType'),
      state: instance.object('State').text('Name'),
      image_id: instance.text('ImageId'),
      public_ip: address,
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
    const groups = this.#groupsOf(instance);
    this.protect({ key, groups, isPublic: address !== undefined }, { region, account });
  }

  /** Their ids; their names are known from here if no answer is about the groups. */
  #groupsOf(instance: DocumentValue): readonly string[] {
    return instance.objects('SecurityGroups').map((group) => {
      const id = group.required('GroupId');
      const name = group.text('GroupName');
      if (name !== undefined) this.#names.set(id, name);
      return id;
    });
  }

  protect(thing: Protected, place: Place): void {
    this.#protected.push(thing);
    for (const group of thing.groups) if (!this.#regions.has(group)) this.#regions.set(group, place);
  }

  readGroup(group: DocumentValue): void {
    this.#groups.push(group);
  }

  finish(): void {
    const open = new Map<string, readonly string[]>();
    for (const group of this.#groups) {
      const ports = this.#readRules(group);
      if (ports.length > 0) open.set(group.required('GroupId'), ports);
    }
    for (const { key, groups, isPublic } of this.#protected)
      for (const id of groups) {
        this.#records.relate(this.#groupKey(id), 'PROTECTS', key);
        const ports = open.get(id);
        if (isPublic && ports !== undefined) this.#fromInternet(key, ports);
      }
  }

  /** The ports that all addresses may reach. */
  #readRules(group: DocumentValue): readonly string[] {
    const id = group.required('GroupId');
    const key = this.#groupKey(id, group);
    const open: string[] = [];
    for (const rule of group.objects('IpPermissions')) {
      const ports = portsOf(rule);
      const ranges = [
        ...rule.objects('IpRanges').map((each) => each.text('CidrIp')),
        ...rule.objects('Ipv6Ranges').map((each) => each.text('CidrIpv6')),
      ];
      if (ranges.some((range) => range !== undefined && isAnywhere(range))) open.push(ports);
      for (const pair of rule.objects('UserIdGroupPairs')) {
        const other = pair.text('GroupId');
        if (other !== undefined)
          this.#records.relate(this.#groupKey(other), 'CONNECTS', key, { ports: [ports] });
      }
    }
    const all = [...new Set(open)].sort();
    this.#records.entity(key, 'Firewall', {
      name: group.text('GroupName'),
      description: group.text('Description'),
      vpc_id: group.text('VpcId'),
      open_to_internet: all.length > 0,
    });
    if (all.length > 0) this.#fromInternet(key, all);
    return all;
  }

  #fromInternet(key: EntityKey, ports: readonly string[]): void {
    const internet = this.#records.entity(INTERNET, 'Network', { name: 'Internet' });
    this.#records.relate(internet, 'CONNECTS', key, { ports });
  }

  #groupKey(id: string, group?: DocumentValue): EntityKey {
    const known = this.#regions.get(id);
    const region = known?.region ?? this.#place.region;
    const account = group?.text('OwnerId') ?? known?.account ?? this.#place.account;
    const made =
      region === undefined || account === undefined
        ? id
        : arnOf({ service: 'ec2', region, account, resource: `security-group/${id}` });
    const key = awsKey('aws_security_group', group?.text('SecurityGroupArn') ?? made);
    return this.#records.entity(key, 'Firewall', { id, name: this.#names.get(id) });
  }
}

/** `tcp/22`, `udp/53-54`, `all`. */
function portsOf(rule: DocumentValue): string {
  const protocol = rule.text('IpProtocol') ?? '-1';
  const [from, to] = [rule.number('FromPort'), rule.number('ToPort')];
  if (protocol === '-1') return 'all';
  if (from === undefined || to === undefined) return protocol;
  return from === to ? `${protocol}/${from}` : `${protocol}/${from}-${to}`;
}
