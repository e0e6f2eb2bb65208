export { arbitraryFind, findText } from './arbitrary-find.ts';
export { arbitraryGraph, arbitraryLabels, arbitraryValue, arbitraryVerbs } from './arbitrary-graph.ts';
export {
  arbitraryPolicy,
  arbitraryShrinkingSync,
  arbitrarySync,
  arbitraryWrite,
} from './arbitrary-request.ts';
export { ClusterLoad } from './cluster/cluster-load.ts';
export { ClusterUnderTest } from './cluster/cluster-under-test.ts';
export { type Cut, CuttingRelay } from './cluster/cutting-relay.ts';
export { installedPostgres, postgresMissing, PostgresProcess } from './cluster/postgres-process.ts';
export { arbitrarySelection } from './arbitrary-selection.ts';
export { FIXTURE } from './fixture.ts';
export { callFault, GraphCaller, type QueryAnswer } from './grpc/graph-caller.ts';
export { plainAnswer, plainEntity, plainRelationship, plainValue, plainWarnings } from './grpc/plain-wire.ts';
export { entity, type GraphData, relationship, TEST_STAMP } from './graph-data.ts';
export { putData, putEntity, putRelationship, sealHere, STAMP, TEST_OPTIONS } from './graph-of.ts';
export { graphReaderConformance } from './graph-reader-conformance.ts';
export { MemoryDocuments } from './memory-documents.ts';
export { NaiveReader } from './naive-reader.ts';
export { arbitraryQuestions, queryConformance, replyWithWarnings } from './query-conformance.ts';
export {
  type AccessEntryBytes,
  ANN_SID,
  descriptorBytes,
  guidBytes,
  sidBytes,
} from './source/descriptor-bytes.ts';
export { isLdapInstalled, LDAP_ADMIN, LDAP_PASSWORD, LdapServer } from './source/ldap-server.ts';
export { PostgresServer } from './source/postgres-server.ts';
export { SAMBA_ADMIN, SAMBA_BASE, SAMBA_PASSWORD, sambaMissing, SambaServer } from './source/samba-server.ts';
export {
  cutShort,
  type LdapAnswer,
  ldapBound,
  ldapEntry,
  ldapOverrunEntry,
  ldapPageEnd,
  type LdapReply,
  type LdapScript,
  ScriptedLdapServer,
} from './source/scripted-ldap-server.ts';
export { type TestZipMember, writeTestZip } from './source/test-zip.ts';
export { TextSink } from './text-sink.ts';
export { BoltPeer, type BoltReply, framed, MESSAGE } from './bolt/bolt-peer.ts';
export { packedByDriver, structure, type Structure, unpackedByDriver } from './bolt/driver-wire.ts';
export { executionContextOf, hurriedClock } from './execution-context-of.ts';
