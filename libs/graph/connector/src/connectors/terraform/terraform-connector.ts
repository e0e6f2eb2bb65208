import type { Disk } from '#platform/disk';
import { fileField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import { ANY_TYPE } from '../../run/step.ts';
import { jsonDocuments } from '../document/json-sources.ts';
import { unknownPart } from '../document/unknown-part.ts';
import { TerraformReader } from './terraform-reader.ts';
import { instancesOf, missingOf } from './terraform-documents.ts';

/** States and plans of Terraform and OpenTofu. */
export function terraformConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'terraform',
    about: 'states and plans of Terraform and OpenTofu: resources, modules, providers, dependencies',
    config: {
      file: fileField({ about: 'path of a file, directory or pattern, relative to this file' }),
    },
    vocabulary: {
      entities: {
        terraform_state: 'lineage name serial terraform_version',
        terraform_module: 'address name',
        terraform_provider: 'name',
        terraform_resource: 'address mode name planned_actions resource_type',
        '*': 'name *',
      },
      relationships: {
        'terraform_* CONTAINS terraform_*': '',
        'terraform_resource USES terraform_provider': '',
        'terraform_resource DEPENDS_ON terraform_resource': '',
        'terraform_resource MANAGES *': '',
        'terraform_resource USES *': '',
      },
    },
    steps: () => [
      {
        id: 'resources',
        description: 'resources with their modules, providers and dependencies',
        emits: { entities: [ANY_TYPE], relationships: [ANY_TYPE] },
        async run(context) {
          const reader = new TerraformReader(context);
          const what = 'a state of Terraform, or what terraform show -json writes';
          const source = { source: context.config.file, extensions: ['.json', '.tfstate'], what };
          for await (const { name, document } of jsonDocuments(disk, source, context)) {
            const state = name.replace(/\.(?:tfstate|json)$/, '');
            const instances = instancesOf(document);
            const missing = missingOf(document, instances);
            if (missing !== undefined) context.unread(unknownPart(`${name}: ${missing}`));
            reader.read({ state, document, instances });
          }
          await reader.finish().emit(context);
        },
      },
    ],
  });
}
