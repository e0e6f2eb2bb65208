export { adminConformance, type AdminScene, type AdminSubject } from './admin-conformance.ts';
export { HaproxyServer, isHaproxyInstalled } from './haproxy-server.ts';
export { HeldUpstream } from './held-upstream.ts';
export { MetricsPage } from './metrics-page.ts';
export { clusterSnapshot, endpointSnapshot, listenerSnapshot, proxySnapshot } from './proxy-snapshot.ts';
export { ScriptedProxySource } from './scripted-proxy-source.ts';
