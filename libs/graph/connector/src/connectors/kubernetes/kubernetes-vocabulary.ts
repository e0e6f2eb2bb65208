import type { Vocabulary } from '../../config/vocabulary.ts';

const OWN = 'kube_labels name namespace';
const POD =
  'allows_escalation capabilities host_ipc host_network host_paths host_pid host_ports kube_labels mounts_token name namespace ' +
  'privileged replicas runs_as_root';

export const KUBERNETES_VOCABULARY: Vocabulary = {
  entities: {
    kube_cluster: 'name',
    kube_namespace: OWN,
    kube_node: `addresses kubelet_version os ${OWN}`,
    kube_pod: `phase pod_ip ${POD}`,
    kube_cron_job: POD,
    kube_daemon_set: POD,
    kube_deployment: POD,
    kube_job: POD,
    kube_replica_set: POD,
    kube_replication_controller: POD,
    kube_stateful_set: POD,
    container_image: 'digest name repository tag',
    kube_service_account: `mounts_token ${OWN}`,
    kube_user: OWN,
    kube_group: OWN,
    kube_role: `rules ${OWN}`,
    kube_cluster_role: `rules ${OWN}`,
    kube_role_binding: OWN,
    kube_cluster_role_binding: OWN,
    kube_resource: 'name resource resource_name scope',
    kube_secret: `secret_type ${OWN}`,
    kube_config_map: OWN,
    kube_service: `addresses exposure node_ports ports service_type source_ranges ${OWN}`,
    kube_ingress: `addresses exposure hosts tls ${OWN}`,
    kube_network_policy: `policy_types ${OWN}`,
    internet: 'name',
  },
  relationships: {
    'kube_* CONTAINS kube_*': '',
    'kube_* OWNS kube_*': '',
    'kube_* RUNS container_image': 'container',
    'kube_node RUNS kube_pod': '',
    'container_image MAPS_TO container_image': '',
    'kube_* USES kube_service_account': '',
    'kube_* USES kube_secret': 'by',
    'kube_* USES kube_config_map': 'by',
    'kube_*_binding ALLOWS kube_*': '',
    'kube_* ASSIGNED kube_*': 'by scope',
    'kube_* MEMBER_OF kube_group': '',
    'kube_* CAN_READ kube_resource': 'by verbs',
    'kube_* CAN_WRITE kube_resource': 'by verbs',
    'kube_* CAN_USE kube_resource': 'by verbs',
    'kube_service EXPOSES kube_*': '',
    'kube_ingress EXPOSES kube_service': '',
    'kube_network_policy PROTECTS kube_*': '',
    'internet CONNECTS kube_*': '',
  },
};
