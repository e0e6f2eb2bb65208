import type { Disk } from '#platform/disk';
import { fileField, optionalTextField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import type { Vocabulary } from '../../config/vocabulary.ts';
import { ANY_TYPE } from '../../run/step.ts';
import { jsonDocuments } from '../document/json-sources.ts';
import { AwsReader } from './aws-reader.ts';

const VOCABULARY: Vocabulary = {
  entities: {
    aws_account: 'arn name',
    aws_organizations_root: 'arn name',
    aws_organizations_organizational_unit: 'arn name',
    aws_organizations_policy: 'arn kind name',
    aws_iam_user: 'arn boundary created name',
    aws_iam_group: 'arn name',
    aws_iam_role: 'arn boundary created name',
    aws_iam_policy: 'allows_everything arn attachments name',
    aws_iam_inline_policy: 'allows_everything name',
    aws_iam_instance_profile: 'name',
    aws_service: 'name',
    aws_identity_provider: 'name',
    aws_principal: 'name',
    aws_everyone: 'name',
    aws_instance: 'arn id image_id instance_type name private_ip public_ip region state subnet_id vpc_id',
    aws_security_group: 'description id name open_to_internet vpc_id',
    aws_s3_bucket: 'arn created name',
    aws_lambda_function: 'arn name package_type runtime',
    aws_db_instance: 'address arn engine engine_version name port publicly_accessible storage_encrypted',
    aws_eks_cluster: 'arn endpoint name public_endpoint public_ranges version',
    internet: 'name',
  },
  relationships: {
    'aws_* CONTAINS aws_*': '',
    'aws_iam_user MEMBER_OF aws_iam_group': '',
    'aws_* ASSIGNED aws_*': '',
    'aws_* CAN_ASSUME aws_iam_role': 'conditional cross_account',
    'aws_iam_instance_profile USES aws_iam_role': '',
    'aws_instance USES aws_iam_instance_profile': '',
    'aws_* USES aws_iam_role': '',
    'aws_security_group PROTECTS aws_*': '',
    'aws_security_group CONNECTS aws_security_group': 'ports',
    'internet CONNECTS aws_*': 'ports',
  },
};

/** Answers of the AWS CLI, as files. */
export function awsConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'aws',
    about:
      'answers of the AWS CLI: IAM, organizations, instances, security groups, buckets, functions, databases, clusters',
    config: {
      file: fileField({ about: 'path of a file, directory or pattern, relative to this file' }),
      region: optionalTextField('the region of answers that do not say it'),
      account: optionalTextField('the account of answers that do not say it'),
    },
    vocabulary: VOCABULARY,
    steps: () => [
      {
        id: 'answers',
        description: 'identities and resources',
        emits: { entities: [ANY_TYPE], relationships: [ANY_TYPE] },
        async run(context) {
          const { file, region, account } = context.config;
          const reader = new AwsReader({ region, account }, context);
          const source = { source: file, extensions: ['.json'], what: 'an answer of the AWS CLI in JSON' };
          for await (const document of jsonDocuments(disk, source, context)) reader.read(document);
          await reader.finish().emit(context);
        },
      },
    ],
  });
}
