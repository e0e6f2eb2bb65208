export { TestApp, type TestAppOptions } from './app/test-app.ts';
export { arbitraryFind, findText, type FindParts } from './graph/arbitrary-find.ts';
export {
  arbitraryField,
  arbitraryGraph,
  arbitraryNames,
  arbitraryValue,
  arbitraryVerbs,
} from './graph/arbitrary-graph.ts';
export { arbitrarySelection } from './graph/arbitrary-selection.ts';
export { FIXTURE } from './graph/fixture.ts';
export { entity, relationship, TEST_STAMP, type GraphData } from './graph/graph-data.ts';
export { graphReaderConformance, type MakeReader } from './graph/graph-reader-conformance.ts';
export { NaiveReader } from './graph/naive-reader.ts';
export { queryConformance } from './graph/query-conformance.ts';
export { TextSink } from './graph/text-sink.ts';
export { goldenTests } from './golden.ts';
export { CrashDisk, type CrashPlan } from './disk/crash-disk.ts';
export { diskConformance } from './disk/disk-conformance.ts';
export { seededRandom } from './disk/seeded-random.ts';
export { isLdapInstalled, LDAP_ADMIN, LDAP_PASSWORD, LdapServer } from './source/ldap-server.ts';
export { SAMBA_ADMIN, SAMBA_BASE, SAMBA_PASSWORD, sambaMissing, SambaServer } from './source/samba-server.ts';
export { PostgresServer } from './source/postgres-server.ts';
export {
  cutShort,
  type LdapAnswer,
  ldapBound,
  ldapEntry,
  ldapPageEnd,
  type LdapReply,
  type LdapScript,
  ScriptedLdapServer,
} from './source/scripted-ldap-server.ts';
export { adminConformance, type AdminScene, type AdminSubject } from './proxy/admin-conformance.ts';
export { HeldUpstream } from './proxy/held-upstream.ts';
export { MetricsPage } from './proxy/metrics-page.ts';
export {
  clusterSnapshot,
  endpointSnapshot,
  listenerSnapshot,
  proxySnapshot,
} from './proxy/proxy-snapshot.ts';
export { ScriptedProxySource } from './proxy/scripted-proxy-source.ts';
export { freePort } from './source/free-port.ts';
export { HaproxyServer, isHaproxyInstalled } from './source/haproxy-server.ts';
export { Story } from './story.ts';
export { openBrowser } from './browser/test-browser.ts';
export { LIES } from './sequencer/lies.ts';
export { LyingProxy, type LyingProxyOptions } from './sequencer/lying-proxy.ts';
