/** Classes of AWS resources; their types are those that Terraform has for them. */
const CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    aws_account: 'Account',
    aws_db_cluster: 'Database',
    aws_db_instance: 'Database',
    aws_ebs_volume: 'Disk',
    aws_ecr_repository: 'CodeRepository',
    aws_ecs_cluster: 'Cluster',
    aws_eks_cluster: 'Cluster',
    aws_iam_group: 'Group',
    aws_iam_instance_profile: 'Role',
    aws_iam_policy: 'Policy',
    aws_iam_role: 'Role',
    aws_iam_user: 'User',
    aws_instance: 'Host',
    aws_internet_gateway: 'Gateway',
    aws_kms_key: 'Key',
    aws_lambda_function: 'Function',
    aws_lb: 'Gateway',
    aws_network_interface: 'NetworkInterface',
    aws_rds_cluster: 'Database',
    aws_s3_bucket: 'DataStore',
    aws_secretsmanager_secret: 'Secret',
    aws_security_group: 'Firewall',
    aws_sns_topic: 'Queue',
    aws_sqs_queue: 'Queue',
    aws_subnet: 'Subnet',
    aws_vpc: 'Network',
  }),
);

/** Undefined for a type whose class is not known: it is made of the type. */
export function classOfAws(type: string): string | undefined {
  return CLASSES.get(type);
}
