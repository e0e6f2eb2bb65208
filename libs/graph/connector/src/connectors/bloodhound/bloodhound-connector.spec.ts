import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeTestZip } from '#graph/testing';
import {
  CollectionDirectory,
  collected,
  documentOf,
  DOCUMENTS,
  DOMAIN,
  linksOf,
  object,
  ref,
  short,
  sid,
} from '../../../test/sharphound-collection.ts';

let directory: CollectionDirectory;

beforeAll(async () => {
  directory = await CollectionDirectory.open();
  await mkdir(join(directory.path, 'files'));
  const members = [...DOCUMENTS, ['notes.txt', 'none'] as const];
  for (const [name, text] of members) await directory.write(`files/${name}`, text);
  const zipped = members.map(([name, content]) => ({ name, content }));
  await writeTestZip(join(directory.path, 'all.zip'), zipped);
  await writeTestZip(join(directory.path, 'large.zip'), zipped, true);
});
afterAll(() => directory.close());

describe('a collection of SharpHound', () => {
  it('has objects by their ids, and every edge under its name in BloodHound', async () => {
    const found = await directory.run('all.zip');

    expect(found.report).toMatchObject({
      status: 'complete',
      ignored: { 'files with other names': 1, 'deleted objects': 1 },
    });
    expect(linksOf(found)).toEqual(
      [
        '1105 AllowedToAct 1104', '1105 HasSIDHistory 9', '1105 MemberOf 513', '1105 MemberOf 520', '1105 SQLAdmin 1104',
        '500 MemberOf 512', '520 MemberOf 512', '512 GenericAll 1105',
        'OU-1 Contains 1104', 'OU-1 PropagatesACEsTo 1104', '1104 HasSession 1105', '1104 HasSession 500', '1104-544 LocalToComputer 1104',
        '520 MemberOfLocalGroup 1104-544', '520 AdminTo 1104', '513 RemoteInteractiveLogonRight 1104',
        '513 BackupPrivilege 1104',
        '1001 DCFor DOMAIN', 'DOMAIN ContainsIdentity 1001', '513 MemberOf LAB-S-1-5-11',
        '515 MemberOf LAB-S-1-5-11', 'LAB-S-1-5-11 MemberOf LAB-S-1-1-0', 'DOMAIN Contains OU-1', 'GPO-1 GPLink DOMAIN', '520 GetChanges DOMAIN',
        '520 GetChangesAll DOMAIN', '520 DCSync DOMAIN', '512 OwnsLimitedRights DOMAIN',
        'DOMAIN CrossForestTrust S-1-5-21-9', 'S-1-5-21-9 CrossForestTrust DOMAIN', 'S-1-5-21-9 SpoofSIDHistory DOMAIN',
        '1104 HostsCAService CA-1', 'TEMPLATE-1 PublishedTo CA-1', '520 ManageCA CA-1', '512 WriteOwner CA-1',
      ].sort(), // prettier-ignore
    );
    const acl = found.relationships.find(({ verb }) => verb === 'GenericAll');
    expect(acl?.properties).toEqual({ isacl: true, isinherited: false });
    const session = found.relationships.filter(
      ({ verb, to }) => verb === 'HasSession' && to.key === sid(1105),
    );
    expect(session.map(({ properties }) => properties)).toEqual([{ isacl: false, logontype: 2 }]);
  });

  it('counts the ids of deleted objects, and says where one is none', async () => {
    await directory.write('deleted.json', documentOf('deleted', ['OU-9', sid(9)]));
    await directory.write('no-ids.json', documentOf('deleted', ['OU-9', { id: 'OU-8' }]));

    const [deleted, mixed] = [await directory.run('deleted.json'), await directory.run('no-ids.json')];

    expect(deleted.report).toMatchObject({ status: 'complete', ignored: { 'deleted objects': 2 } });
    expect(mixed.report).toMatchObject({
      status: 'partial',
      warnings: expect.arrayContaining([expect.stringContaining('data[1]: expected the id of an object')]),
    });
  });

  it('has types, classes and labels by which PQL and Cypher find them, also of what is only named', async () => {
    const { entities } = await directory.run('files');
    const facts = entities.map(({ type, class: kind, labels, key, displayName }) => [
      `${type} ${kind} ${String(labels)}`,
      short(key),
      displayName,
    ]);

    expect(facts).toContainEqual(['user User Base', '1105', 'ANN@LAB']);
    expect(facts).toContainEqual(['user User Base', '500', sid(500)]);
    expect(facts).toContainEqual(['ou OU Base', 'OU-1', 'OU-1']);
    expect(facts).toContainEqual(['cert_template CertTemplate Base', 'TEMPLATE-1', 'TEMPLATE-1']);
    expect(facts).toContainEqual(['enterprise_ca EnterpriseCA Base', 'CA-1', 'CA@LAB']);
    expect(facts).toContainEqual(['ad_local_group ADLocalGroup Base', '1104-544', 'ADMINISTRATORS@PC.LAB']);
    expect(facts).toContainEqual(['domain Domain Base', 'S-1-5-21-9', 'OTHER']);
    expect(entities.find(({ key }) => key === sid(1105))?.properties).toEqual({
      name: 'ANN@LAB',
      domainsid: DOMAIN,
      objectid: sid(1105),
    });
  });

  it('has what BloodHound says of an object beside its properties', async () => {
    const { entities } = await directory.run('files');
    const factsOf = (id: string) => entities.find(({ key }) => key === id)?.properties;

    expect(factsOf(sid(1001))).toMatchObject({ isdc: true });
    expect(factsOf(DOMAIN)).toMatchObject({ collected: true, ownersid: sid(512) });
    expect(factsOf(sid(1104))).toMatchObject({
      operatingsystem: 'WINDOWS 11',
      distinguishedname: 'CN=PC,DC=LAB',
    });
  });

  it('is the same in a zip and in files', async () => {
    const [zip, files] = [await directory.run('all.zip'), await directory.run('files')];

    expect(linksOf(zip)).toEqual(linksOf(files));
    expect(new Set(zip.entities)).toEqual(new Set(files.entities));
  });

  it('is the same in a zip with fields of 64 bits', async () => {
    expect(linksOf(await directory.run('large.zip'))).toEqual(linksOf(await directory.run('all.zip')));
  });

  it('of version 5 has local rights as lists', async () => {
    const computers = [object(sid(1), 'PC', { LocalAdmins: collected(ref(sid(2), 'User')) })];
    await directory.write('v5.json', documentOf('computers', computers, 5));

    expect(linksOf(await directory.run('v5.json'))).toEqual(['2 AdminTo 1']);
  });

  it('of files without a version is read', async () => {
    const document = JSON.stringify({ data: [object('GPO-1', 'A')], meta: { type: 'gpos', count: 1 } });
    await directory.write('unversioned.json', document);

    expect((await directory.run('unversioned.json')).report).toMatchObject({
      status: 'complete',
      entities: 1,
    });
  });

  it('has of an object that several elements describe what all of them say, later ones before others', async () => {
    const { entities, report } = await directory.read('domains', [
      { ObjectIdentifier: DOMAIN, Properties: { collected: true, functionallevel: '2012' } },
      { ObjectIdentifier: DOMAIN, Properties: { name: 'lab', functionallevel: '2016' } },
    ]);

    expect(report).toMatchObject({ status: 'complete', warnings: [] });
    const domains = entities.filter(({ type }) => type === 'domain');
    expect(domains).toMatchObject([{ key: DOMAIN, displayName: 'LAB' }]);
    expect(domains[0]?.properties).toEqual({
      objectid: DOMAIN,
      name: 'LAB',
      collected: true,
      functionallevel: '2016',
    });
  });

  it('has a group of a domain controller as the group of the domain that it is', async () => {
    const id = 'LAB-S-1-5-32-544';
    const local = {
      ...collected(ref(sid(512), 'Group')),
      ObjectIdentifier: id,
      Name: 'ADMINISTRATORS@DC.LAB',
    };
    const computers = [object(sid(1), 'DC', { LocalGroups: [local] })];
    await mkdir(join(directory.path, 'controller'));
    await directory.write('controller/computers.json', documentOf('computers', computers));
    await directory.write('controller/groups.json', documentOf('groups', [object(id, 'ADMINISTRATORS@LAB')]));

    const { entities } = await directory.run('controller');

    expect(entities.filter(({ key }) => key === id)).toMatchObject([
      { type: 'group', class: 'Group', labels: ['ADLocalGroup', 'Base'], displayName: 'ADMINISTRATORS@LAB' },
    ]);
  });

  it('is read whatever the case of the names of its fields', async () => {
    const { relationships } = await directory.read('users', [
      {
        objectidentifier: sid(1),
        properties: { name: 'ONE' },
        SpnTargets: [{ computersid: sid(2), Port: 1433, service: 'SQLAdmin' }],
        aces: [{ PrincipalSid: sid(3), principaltype: 'User', rightname: 'GenericAll', isinherited: true }],
      },
    ]);

    const facts = relationships.map(({ from, verb, to, properties }) => [
      `${short(from.key)} ${verb} ${short(to.key)}`,
      properties,
    ]);
    expect(facts).toEqual([
      ['1 SQLAdmin 2', { isacl: true, port: 1433 }],
      ['3 GenericAll 1', { isacl: true, isinherited: true }],
    ]);
  });

  it('counts fields and rights that it does not know, by name', async () => {
    const rights = [{ ...collected(), Privilege: 'SeShutdownPrivilege' }];
    const { report } = await directory.read('computers', [
      object(sid(1), 'A', { UserRights: rights, Tokens: [] }),
      object(sid(2), 'B', { Tokens: [] }),
    ]);

    expect(report.ignored).toEqual({
      "SharpHound's field Tokens": 2,
      "SharpHound's right SeShutdownPrivilege": 1,
    });
  });

  it('has a member that the collector did not resolve as the object of its name, if there is one', async () => {
    const names = ['DN=CN=ANN,DC=LAB', 'DN=CN=GONE,DC=LAB'];
    const ann = object(sid(9), 'ANN', { Properties: { distinguishedname: 'cn=ann,dc=lab' } });
    const found = await directory.read('groups', [
      object(sid(1), 'ONE', { Members: names.map((name) => ref(name, 'Base')) }),
      ann,
    ]);

    expect(linksOf(found)).toEqual(['9 MemberOf 1', 'DN=CN=GONE,DC=LAB MemberOf 1']);
    expect(found.entities.map(({ key }) => short(key)).sort()).toEqual(['1', '9', 'DN=CN=GONE,DC=LAB']);
  });
});
