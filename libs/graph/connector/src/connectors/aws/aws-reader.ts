import type { EntityKey } from '#graph/model';
import type { StepContext } from '../../run/step.ts';
import type { DocumentValue } from '../document/document-value.ts';
import { INTERNET, isAnywhere } from '../document/internet.ts';
import type { NamedDocument } from '../document/json-sources.ts';
import { type Facts, RecordSet } from '../document/record-set.ts';
import { AWS_ANSWERS, type AwsAnswer } from './aws-answer.ts';
import { accountOf, awsKey, arnOf } from './aws-names.ts';
import { classOfAws } from './aws-classes.ts';
import { IamReader } from './iam.ts';
import { OrganizationReader } from './organization.ts';
import { BOTH_FAMILIES, NetworkReader, type Place } from './network.ts';

/** Each service has its own name for what asks for the next page. */
const NEXT_PAGES = ['NextToken', 'nextToken', 'NextMarker', 'Marker', 'ContinuationToken'];

type Read = (document: DocumentValue, file: string) => void;

/** Reads answers of the AWS CLI, each recognized by its fields. Values of the environment are never read. */
export class AwsReader {
  readonly #records = new RecordSet();
  readonly #context: Pick<StepContext<unknown>, 'ignored'>;
  readonly #place: Place;
  readonly #iam: IamReader;
  readonly #network: NetworkReader;
  readonly #organization: OrganizationReader;
  readonly #readIdentities: Read = (each) => {
    this.#iam.read(each);
  };
  readonly #readPolicies: Read = (each, file) => {
    this.#organization.readPolicies(each, file);
  };
  readonly #answers: Readonly<Record<AwsAnswer, Read>> = {
    UserDetailList: this.#readIdentities,
    RoleDetailList: this.#readIdentities,
    GroupDetailList: this.#readIdentities,
    Reservations: (each) => this.#readInstances(each),
    SecurityGroups: (each) => this.#readGroups(each),
    Buckets: (each) => this.#readBuckets(each),
    Functions: (each) => this.#readFunctions(each),
    DBInstances: (each) => this.#readDatabases(each),
    cluster: (each) => this.#readCluster(each.object('cluster')),
    clusters: (each) => this.#readClusterNames(each),
    Account: (each) => this.#readIdentity(each),
    Organization: (each) => this.#organization.readOrganization(each),
    Roots: (each) => this.#organization.readRoots(each),
    Accounts: (each, file) => this.#organization.readAccounts(each, file),
    OrganizationalUnits: (each, file) => this.#organization.readUnits(each, file),
    Children: (each, file) => this.#organization.readChildren(each, file),
    Parents: (each, file) => this.#organization.readParents(each, file),
    Policies: this.#readPolicies,
    Policy: (each) => this.#organization.readPolicy(each),
    Targets: (each, file) => this.#organization.readTargets(each, file),
  };

  constructor(place: Place, context: Pick<StepContext<unknown>, 'ignored' | 'unresolved'>) {
    this.#organization = new OrganizationReader(this.#records);
    this.#iam = new IamReader(this.#records, this.#organization, context);
    this.#place = place;
    this.#context = context;
    this.#network = new NetworkReader(this.#records, place, context);
  }

  /** Throws INVALID_REQUEST for the answer of a call that is not read. */
  read({ name, document }: NamedDocument): void {
    const reads = new Set(
      AWS_ANSWERS.filter((field) => document.has(field)).map((field) => this.#answers[field]),
    );
    // The details of an account have a list of this name as well.
    if (reads.has(this.#readIdentities)) reads.delete(this.#readPolicies);
    const [found, other] = reads;
    if (other !== undefined)
      throw document.fault(
        '',
        'expected the answer of one call, got several in one object: write one file each',
      );
    if (found === undefined) {
      const got = Object.keys(document.value).slice(0, 5).join(', ');
      throw document.fault(
        '',
        `expected an answer of the AWS CLI with one of ${AWS_ANSWERS.join(', ')}, got ${got || 'nothing'}`,
      );
    }
    const more = nextPageOf(document);
    if (more !== undefined)
      throw document.fault(
        more,
        'expected a whole answer, got one page of several: leave out --max-items and --no-paginate',
      );
    found(document, name);
  }

  finish(): RecordSet {
    this.#network.finish();
    this.#iam.finish();
    this.#addOwners();
    return this.#records;
  }

  /** Everything is in the account of its ARN, whichever answer has it. */
  #addOwners(): void {
    for (const { type, key } of [...this.#records.entities()]) {
      const account = accountOf(key);
      if (account === undefined || type === 'aws_iam_inline_policy') continue;
      const owner = this.#records.entity({ type: 'aws_account', key: account }, 'Account', { name: account });
      this.#records.relate(owner, 'CONTAINS', { type, key });
    }
  }

  #readInstances(document: DocumentValue): void {
    for (const reservation of document.objects('Reservations'))
      for (const instance of reservation.objects('Instances'))
        this.#network.readInstance(instance, reservation.text('OwnerId'));
  }

  #readGroups(document: DocumentValue): void {
    for (const group of document.objects('SecurityGroups')) this.#network.readGroup(group);
  }

  #readBuckets(document: DocumentValue): void {
    for (const bucket of document.objects('Buckets')) {
      const name = bucket.required('Name');
      this.#add('aws_s3_bucket', `arn:aws:s3:::${name}`, { name, created: bucket.text('CreationDate') });
    }
  }

  #readFunctions(document: DocumentValue): void {
    for (const each of document.objects('Functions')) {
      const arn = each.required('FunctionArn');
      const facts = {
        name: each.text('FunctionName'),
        runtime: each.text('Runtime'),
        package_type: each.text('PackageType'),
      };
      const key = this.#add('aws_lambda_function', arn, facts);
      this.#useRole(key, each.text('Role'));
    }
  }

  #readDatabases(document: DocumentValue): void {
    for (const each of document.objects('DBInstances')) {
      const id = each.required('DBInstanceIdentifier');
      const isPublic = each.flag('PubliclyAccessible') === true;
      const endpoint = each.object('Endpoint');
      const arn = each.text('DBInstanceArn') ?? id;
      const key = this.#add('aws_db_instance', arn, {
        name: id,
        engine: each.text('Engine'),
        engine_version: each.text('EngineVersion'),
        publicly_accessible: isPublic,
        storage_encrypted: each.flag('StorageEncrypted'),
        address: endpoint.text('Address'),
        port: endpoint.number('Port'),
      });
      const groups = each
        .objects('VpcSecurityGroups')
        .flatMap((group) => group.text('VpcSecurityGroupId') ?? []);
      const [, , , region] = arn.split(':');
      const reached = isPublic ? BOTH_FAMILIES : [];
      this.#network.protect({ key, groups, families: reached }, { region, account: accountOf(arn) });
    }
  }

  #readCluster(cluster: DocumentValue): void {
    const network = cluster.object('resourcesVpcConfig');
    const ranges = network.texts('publicAccessCidrs');
    const key = this.#add('aws_eks_cluster', cluster.required('arn'), {
      name: cluster.text('name'),
      version: cluster.text('version'),
      endpoint: cluster.text('endpoint'),
      public_endpoint: network.flag('endpointPublicAccess'),
      public_ranges: ranges.length === 0 ? undefined : ranges,
    });
    this.#useRole(key, cluster.text('roleArn'));
    if (network.flag('endpointPublicAccess') === true && (ranges.length === 0 || ranges.some(isAnywhere)))
      this.#records.relate(this.#records.entity(INTERNET, 'Network', { name: 'Internet' }), 'CONNECTS', key);
  }

  /** The list has names only: without region and account, they are no keys. */
  #readClusterNames(document: DocumentValue): void {
    const { region, account } = this.#place;
    for (const name of document.texts('clusters')) {
      if (region === undefined || account === undefined)
        this.#context.ignored('clusters without region and account');
      else
        this.#add(
          'aws_eks_cluster',
          arnOf({ service: 'eks', region, account, resource: `cluster/${name}` }),
          { name },
        );
    }
  }

  #readIdentity(document: DocumentValue): void {
    const id = document.required('Account');
    this.#records.entity({ type: 'aws_account', key: id }, 'Account', { name: id });
  }

  #useRole(key: EntityKey, arn: string | undefined): void {
    if (arn !== undefined)
      this.#records.relate(key, 'USES', this.#add('aws_iam_role', arn, { name: arn.split('/').at(-1) }));
  }

  #add(type: string, arn: string, facts: Facts): EntityKey {
    return this.#records.entity(awsKey(type, arn), classOfAws(type), { ...facts, arn });
  }
}

/** The field that says that more pages follow. A marker may stand beside the word that none do. */
function nextPageOf(document: DocumentValue): string | undefined {
  const isTruncated = document.flag('IsTruncated');
  if (isTruncated === true) return 'IsTruncated';
  const fields = isTruncated === false ? ['NextToken'] : NEXT_PAGES;
  return fields.find((field) => document.has(field) && document.value[field] !== '');
}
