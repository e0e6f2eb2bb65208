/** A collector that writes as Cartography does, over Bolt on two days, and rules in Cypher. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import neo4j, { type Driver } from 'neo4j-driver';
import { runProgram, type RunningServer, startServer } from './support/built-program.ts';

const RULES = `version: 1
rules:
  - id: open-to-the-world
    name: Instances that the internet reaches
    severity: critical
    cypher: |
      MATCH (i:EC2Instance)-[m:MEMBER_OF_EC2_SECURITY_GROUP]->(g:EC2SecurityGroup)
            <-[:MEMBER_OF_EC2_SECURITY_GROUP]-(rule:IpPermissionInbound)<-[:MEMBER_OF_IP_RULE]-(r:IpRange)
      WHERE r.range = '0.0.0.0/0' AND NOT rule.fromport IN $allowed
      RETURN i, m, g, rule, r // with what opens it
    population: MATCH (i:EC2Instance) RETURN i
    parameters: { allowed: { type: list, default: [443] } }
    frameworks: [{ framework: CIS, control: '5.2' }]
    exceptions: [{ match: "i.instanceid = 'i-bastion'", reason: the bastion }]
    tests:
      - name: a port open to everyone fails
        entities:
          - { type: EC2Instance, key: a }
          - { type: EC2SecurityGroup, key: g }
          - { type: IpPermissionInbound, key: p, properties: { fromport: 22 } }
          - { type: IpRange, key: r, properties: { range: 0.0.0.0/0 } }
        relationships:
          - { from: { type: EC2Instance, key: a }, verb: MEMBER_OF_EC2_SECURITY_GROUP, to: { type: EC2SecurityGroup, key: g } }
          - { from: { type: IpPermissionInbound, key: p }, verb: MEMBER_OF_EC2_SECURITY_GROUP, to: { type: EC2SecurityGroup, key: g } }
          - { from: { type: IpRange, key: r }, verb: MEMBER_OF_IP_RULE, to: { type: IpPermissionInbound, key: p } }
        expect: { status: fail, violations: [a] }
  - id: by-region
    severity: low
    cypher: MATCH (i:EC2Instance) WITH i.region AS region, count(*) AS instances WHERE instances > 1 RETURN region, instances
  - { id: no-such-data, severity: low, cypher: 'MATCH (b:S3Bucket) WHERE b.anonymous_access RETURN b' }
`;

interface Day {
  readonly tag: number;
  readonly instances: readonly { readonly id: string; readonly region: string; readonly group: string }[];
  readonly permissions: readonly {
    readonly id: string;
    readonly group: string;
    readonly port: number;
    readonly range: string;
  }[];
}

const FIRST: Day = {
  tag: 1_767_225_600,
  instances: [
    { id: 'i-web', region: 'eu-west-1', group: 'sg-web' },
    { id: 'i-db', region: 'eu-west-1', group: 'sg-db' },
    { id: 'i-old', region: 'us-east-1', group: 'sg-db' },
    { id: 'i-bastion', region: 'us-east-1', group: 'sg-ssh' },
  ],
  permissions: [
    { id: 'p-web', group: 'sg-web', port: 443, range: '0.0.0.0/0' },
    { id: 'p-ssh', group: 'sg-ssh', port: 22, range: '0.0.0.0/0' },
    { id: 'p-db', group: 'sg-db', port: 5432, range: '10.0.0.0/8' },
  ],
};
/** One instance is gone, and the database opens to everyone. */
const SECOND: Day = {
  tag: FIRST.tag + 86_400,
  instances: FIRST.instances.filter(({ id }) => id !== 'i-old'),
  permissions: FIRST.permissions.map((each) => (each.id === 'p-db' ? { ...each, range: '0.0.0.0/0' } : each)),
};

const INDEXES = ['EC2Instance', 'EC2SecurityGroup', 'IpPermissionInbound', 'IpRange'].map(
  (label) => `CREATE INDEX IF NOT EXISTS FOR (n:${label}) ON (n.id)`,
);
const INSTANCES = `UNWIND $DictList AS item
  MERGE (i:EC2Instance{id: item.id}) ON CREATE SET i.firstseen = timestamp()
  SET i.lastupdated = $UPDATE_TAG, i.instanceid = item.id, i.region = item.region
  MERGE (g:EC2SecurityGroup{id: item.group}) ON CREATE SET g.firstseen = timestamp() SET g.lastupdated = $UPDATE_TAG
  MERGE (i)-[r:MEMBER_OF_EC2_SECURITY_GROUP]->(g) ON CREATE SET r.firstseen = timestamp() SET r.lastupdated = $UPDATE_TAG`;
const PERMISSIONS = `UNWIND $DictList AS item
  MERGE (p:IpPermissionInbound{id: item.id}) ON CREATE SET p.firstseen = timestamp()
  SET p.lastupdated = $UPDATE_TAG, p.fromport = item.port
  WITH p, item MATCH (g:EC2SecurityGroup{id: item.group})
  MERGE (p)-[m:MEMBER_OF_EC2_SECURITY_GROUP]->(g) SET m.lastupdated = $UPDATE_TAG
  MERGE (n:IpRange{id: item.range}) ON CREATE SET n.firstseen = timestamp()
  SET n.lastupdated = $UPDATE_TAG, n.range = item.range
  MERGE (n)-[r:MEMBER_OF_IP_RULE]->(p) SET r.lastupdated = $UPDATE_TAG`;
const CLEANUPS = [
  'MATCH (n:IpRange)-[r:MEMBER_OF_IP_RULE]->(:IpPermissionInbound) WHERE r.lastupdated <> $UPDATE_TAG WITH r LIMIT $LIMIT_SIZE DELETE r',
  'MATCH (n:EC2Instance) WHERE n.lastupdated <> $UPDATE_TAG WITH n LIMIT $LIMIT_SIZE DETACH DELETE n',
  'MATCH (n:IpRange) WHERE n.lastupdated <> $UPDATE_TAG WITH n LIMIT $LIMIT_SIZE DETACH DELETE n',
];

async function collect(driver: Driver, { tag, instances, permissions }: Day): Promise<void> {
  const session = driver.session();
  try {
    for (const text of INDEXES) await session.run(text);
    const plain = permissions.map((each) => ({ ...each, port: neo4j.int(each.port) }));
    for (const [text, rows] of [
      [INSTANCES, instances],
      [PERMISSIONS, plain],
    ] as const) {
      await session.executeWrite((work) => work.run(text, { DictList: rows, UPDATE_TAG: neo4j.int(tag) }));
    }
    for (const text of CLEANUPS) {
      const parameters = { UPDATE_TAG: neo4j.int(tag), LIMIT_SIZE: neo4j.int(100) };
      for (let isMore = true; isMore;) {
        const { summary } = await session.run(text, parameters);
        isMore = summary.counters.containsUpdates();
      }
    }
  } finally {
    await session.close();
  }
}

interface Result {
  readonly rule_id: string;
  readonly status: string;
  readonly violations: readonly {
    readonly key: string;
    readonly display_name: string;
    readonly waived?: object;
  }[];
}

describe('rules in Cypher over two days of a collector', () => {
  let directory: string;
  let rules: string;
  let server: RunningServer | undefined;
  let driver: Driver | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-cypher-rules-'));
    rules = join(directory, 'rules');
    await mkdir(rules);
    await writeFile(join(rules, 'a.yaml'), RULES);
  });
  afterEach(async () => {
    await driver?.close();
    await server?.end('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  });

  async function ask<Reply>(path: string, body?: object): Promise<Reply> {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    };
    const reply = await fetch(`${server?.url ?? ''}${path}`, body === undefined ? {} : init);
    return (await reply.json()) as Reply;
  }

  async function evaluated(): Promise<Readonly<Record<string, readonly string[]>>> {
    const { results } = await ask<{ readonly results: readonly Result[] }>('/v1/policies/evaluate', {});
    return Object.fromEntries(
      results.map(({ rule_id: id, status, violations }) => [
        id,
        [
          status,
          ...violations
            .map(({ display_name: name, waived }) => (waived === undefined ? name : `(${name})`))
            .sort()
            .reverse(),
        ],
      ]),
    );
  }

  it('tell what has opened, and what has vanished is gone', async () => {
    server = await startServer(['--data-dir', join(directory, 'data'), '--rules', rules, '--bolt-port', '0']);
    const listening = server.log.find((line) => line.includes('server.listening')) ?? '{}';
    driver = neo4j.driver((JSON.parse(listening) as { readonly bolt: string }).bolt);
    await collect(driver, FIRST);
    const first = await evaluated();
    await collect(driver, SECOND);
    const second = await evaluated();
    const nodes = await driver.executeQuery(
      'MATCH (n) WHERE n:EC2Instance OR n:IpRange RETURN n.id AS id ORDER BY id',
    );

    expect(first).toEqual({
      'open-to-the-world': ['Pass', '(i-bastion)'],
      'by-region': ['Fail', 'us-east-1,2', 'eu-west-1,2'],
      'no-such-data': ['NoData'],
    });
    expect(second).toEqual({
      'open-to-the-world': ['Fail', 'i-db', '(i-bastion)'],
      'by-region': ['Fail', 'eu-west-1,2'],
      'no-such-data': ['NoData'],
    });
    expect(nodes.records.map((record) => String(record.get('id')))).toEqual([
      '0.0.0.0/0',
      'i-bastion',
      'i-db',
      'i-web',
    ]);
    const past = await ask<{ readonly evaluations: readonly { readonly evaluation_id: string }[] }>(
      '/v1/policies/evaluations',
    );
    const last = await ask<{
      readonly results: readonly { readonly rule_id: string; readonly new: readonly object[] }[];
    }>(`/v1/policies/evaluations/${past.evaluations[0]?.evaluation_id ?? ''}`);
    expect(last.results.find(({ rule_id: id }) => id === 'open-to-the-world')?.new).toHaveLength(1);
    const { findings } = await ask<{ readonly findings: readonly [{ readonly proof: object }] }>(
      '/v1/policies/open-to-the-world/findings',
    );
    const proof = await ask<{ readonly columns: readonly string[]; readonly rows: readonly object[] }>(
      '/v1/cypher',
      findings[0].proof,
    );
    expect([proof.columns, proof.rows.length]).toEqual([['i', 'm', 'g', 'rule', 'r'], 1]);
    const posture = await ask<object>('/v1/policies/posture?framework=CIS');
    expect(posture).toMatchObject({ controls: [{ status: 'Fail' }] });
  });

  it('are tested, validated and evaluated on the command line', async () => {
    const data = join(directory, 'data');
    const lines = ['a', 'b'].map((key) =>
      JSON.stringify({ op: 'entity', type: 'EC2Instance', key, properties: { region: 'x' } }),
    );
    await runProgram(['ingest', '-', '--data-dir', data], { stdin: `${lines.join('\n')}\n` });
    const tested = await runProgram(['policy', 'test', rules]);
    const run = await runProgram(['policy', 'evaluate', rules, '--data-dir', data]);
    await writeFile(join(rules, 'b.yaml'), 'rules:\n  - id: x\n    cypher: MATCH (n) DETACH DELETE n\n');
    const refused = await runProgram(['policy', 'validate', rules]);

    expect([tested.code, tested.stdout]).toEqual([0, expect.stringMatching(/^pass +open-to-the-world/m)]);
    expect(run.stdout).toMatch(/^Fail +low +by-region +1 +0 +x,2$/m);
    expect(run.stdout).toMatch(/^NoData +critical +open-to-the-world /m);
    expect(refused.stderr).toMatch(/b\.yaml:3:13: cypher: DELETE changes the graph.*line 1, column 11/);
  });
});
