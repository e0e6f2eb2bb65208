import type { Disk } from '#platform/disk';
import { fileField, textField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import { ANY_TYPE } from '../../run/step.ts';
import { sourceFiles } from '../document/source-files.ts';
import { KubernetesReader } from './kubernetes-reader.ts';
import { KUBERNETES_VOCABULARY } from './kubernetes-vocabulary.ts';
import { isManifest, manifestObjects } from './manifest-objects.ts';

const TIMEOUT_MS = 3_600_000;

/** Manifests of Kubernetes, and the lists that kubectl writes. */
export function kubernetesConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'kubernetes',
    about: 'manifests of Kubernetes and lists of kubectl: workloads, images, access rights, exposure',
    config: {
      file: fileField({ about: 'path of a file, directory or pattern, relative to this file' }),
      cluster: textField({ about: 'the name of the cluster in keys', fallback: 'default' }),
    },
    vocabulary: KUBERNETES_VOCABULARY,
    steps: () => [
      {
        id: 'objects',
        description: 'workloads, images, roles, services',
        emits: { entities: [ANY_TYPE], relationships: [ANY_TYPE] },
        timeoutMs: TIMEOUT_MS,
        async run(context) {
          const { file: source, cluster } = context.config;
          const reader = new KubernetesReader(cluster, context);
          const { files, areOfDirectory } = await sourceFiles(disk, source);
          for (const file of files) {
            if (areOfDirectory && !isManifest(file)) context.ignored('files with other names');
            else
              for await (const object of manifestObjects(disk, { file, source })) {
                context.signal.throwIfAborted();
                reader.read(object);
              }
          }
          await reader.finish().emit(context);
        },
      },
    ],
  });
}
