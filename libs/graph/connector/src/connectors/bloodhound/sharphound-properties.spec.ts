import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CollectionDirectory, object, sid } from '../../../test/sharphound-collection.ts';

let directory: CollectionDirectory;

beforeAll(async () => {
  directory = await CollectionDirectory.open();
});
afterAll(() => directory.close());

const value = (Value: unknown) => ({ Collected: true, Value });
const result = (Result: unknown) => ({ Collected: true, Result });
const endpoint = (Url: string, open: object) => result({ Url, ...open });

describe('an object of SharpHound', () => {
  it.each([
    [
      'computers',
      {
        Properties: { ldapenabled: true, ldapsenabled: false },
        IsWebClientRunning: result(true),
        SmbInfo: result({ SigningEnabled: false }),
        NTLMRegistryData: result({
          RestrictSendingNtlmTraffic: 2,
          UseMachineId: null,
          LmCompatibilityLevel: 3,
        }),
        UserRights: [
          {
            Privilege: 'SeBackupPrivilege',
            Collected: true,
            Results: [{ ObjectIdentifier: sid(2), ObjectType: 'User' }],
          },
        ],
        DCRegistryData: {
          CertificateMappingMethods: value(4),
          StrongCertificateBindingEnforcement: value(0),
        },
      },
      {
        ldapavailable: true,
        ldapsavailable: false,
        webclientrunning: true,
        smbsigning: false,
        restrictoutboundntlm: true,
        lmcompatibilitylevel: 3,
        certificatemappingmethodsraw: 4,
        certificatemappingmethods: ['0x04: User principal name (UPN/SAN)'],
        strongcertificatebindingenforcementraw: 0,
        strongcertificatebindingenforcement: 'Disabled',
        hasura: true,
      },
    ],
    ['computers', { Properties: {}, SmbInfo: { Collected: false, Result: { SigningEnabled: false } } }, {}],
    [
      'enterprisecas',
      {
        Properties: {},
        CARegistryData: { IsUserSpecifiesSanEnabled: value(true), RoleSeparationEnabled: value(false) },
        HttpEnrollmentEndpoints: [
          endpoint('http://a', { ADCSWebEnrollmentHTTP: true }),
          endpoint('https://b', { ADCSWebEnrollmentHTTPS: true, ADCSWebEnrollmentEPA: true }),
        ],
      },
      {
        hasvulnerableendpoint: true,
        httpenrollmentendpoints: ['http://a'],
        isuserspecifiessanenabled: true,
        roleseparationenabled: false,
      },
    ],
    [
      'enterprisecas',
      { Properties: {}, HttpEnrollmentEndpoints: [endpoint('https://b', { ADCSWebEnrollmentHTTPS: false })] },
      { hasvulnerableendpoint: false },
    ],
    ['enterprisecas', { Properties: {}, HttpEnrollmentEndpoints: [{ Collected: false, Result: null }] }, {}],
    [
      'computers',
      {
        Properties: {},
        DCRegistryData: {
          CertificateMappingMethods: value(-1),
          StrongCertificateBindingEnforcement: value(-1),
          VulnerableNetlogonSecurityDescriptor: value('O:BAG:BAD:'),
        },
      },
      {
        certificatemappingmethodsraw: -1,
        certificatemappingmethods: ['Registry value does not exist'],
        strongcertificatebindingenforcementraw: -1,
        strongcertificatebindingenforcement: 'Registry value does not exist',
        vulnerablenetlogonsecuritydescriptor: 'O:BAG:BAD:',
        vulnerablenetlogonsecuritydescriptorcollected: true,
      },
    ],
    [
      'issuancepolicies',
      { Properties: {}, GroupLink: { ObjectIdentifier: sid(2), ObjectType: 'Group' } },
      { grouplinkid: sid(2) },
    ],
    [
      'gpos',
      { Properties: { gpostatus: '1 ' } },
      { gpostatus: 'User Configuration Disabled', gpostatusraw: '1' },
    ],
    ['gpos', { Properties: { gpostatus: '' } }, { gpostatus: 'GPO Status does not exist', gpostatusraw: '' }],
    ['containers', { Properties: {}, InheritanceHashes: ['abc'] }, { inheritancehashes: ['abc'] }],
    [
      'domains',
      { Properties: { machineaccountquota: '10', expirepasswordsonsmartcardonlyaccounts: 'True' } },
      { machineaccountquota: 10, expirepasswordsonsmartcardonlyaccounts: true, collected: true },
    ],
  ])('of %s has what the questions of BloodHound ask for (%#)', async (type, more, facts) => {
    const { entities } = await directory.read(type, [object(sid(1), 'ONE', more)]);

    expect(entities.find(({ key }) => key === sid(1))?.properties).toEqual({ ...facts, objectid: sid(1) });
  });
});
