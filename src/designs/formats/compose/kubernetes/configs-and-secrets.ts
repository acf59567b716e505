import { posix } from 'node:path';
import type { JsonObject } from '../../../../core/json/json.js';
import { toPointer } from '../../../../core/json/json-pointer.js';
import { type ComposeFileReference, toResource } from '../project.js';
import { buildFileConfigMap } from './bind.js';
import { type ProjectConversion, definedMembers, type ServiceConversion } from './conversion.js';
import { toDataKey, toDnsLabel } from './names.js';
import { type PodVolumes } from './pod-volumes.js';

type FileSection = 'configs' | 'secrets';

/** Creates a ConfigMap for each config and a Secret for each secret, except external ones. */
export function convertConfigsAndSecrets(conversion: ProjectConversion): void {
  for (const section of ['configs', 'secrets'] as const) {
    for (const [key, definition] of conversion.project[section]) {
      const store = toResource(definition);
      if (store.external) continue;
      const name = nameOf(conversion, section, key);
      const content = contentOf(conversion, section, key, name);
      const file = keyOf(conversion, section, key);
      const labels = { 'app.kubernetes.io/name': name };
      const resource: JsonObject =
        section === 'configs'
          ? buildFileConfigMap(name, labels, new Map([[file, { path: file, bytes: content }]]))
          : {
              apiVersion: 'v1',
              kind: 'Secret',
              type: 'Opaque',
              metadata: { name, labels },
              data: { [toDataKey(file)]: Buffer.from(content).toString('base64') },
            };
      const compose = { [section === 'configs' ? 'config' : 'secret']: key, definition };
      conversion.add(resource, compose, toPointer(section, key));
    }
  }
}

/** Mounts the configs of a service. A config without a target is mounted in the root directory. */
export function mountConfigs(conversion: ServiceConversion, pod: PodVolumes): void {
  for (const use of conversion.service.configs ?? []) {
    const name = nameOf(conversion.conversion, 'configs', use.source);
    const source = { configMap: { name, ...itemsOf(conversion, 'configs', use) } };
    pod.mount(toDnsLabel(`config-${name}`), source, posix.join('/', use.target ?? use.source), mountOptionsOf(use));
  }
}

/** Mounts the secrets of a service, below `/run/secrets` unless a target is absolute. */
export function mountSecrets(conversion: ServiceConversion, pod: PodVolumes): void {
  for (const use of conversion.service.secrets ?? []) {
    const name = nameOf(conversion.conversion, 'secrets', use.source);
    const source = { secret: { secretName: name, ...itemsOf(conversion, 'secrets', use) } };
    pod.mount(
      toDnsLabel(`secret-${name}`),
      source,
      posix.resolve('/run/secrets', use.target ?? use.source),
      mountOptionsOf(use),
    );
  }
}

function itemsOf({ conversion }: ServiceConversion, section: FileSection, use: ComposeFileReference): JsonObject {
  return definedMembers({
    defaultMode: use.mode,
    items: [{ key: toDataKey(keyOf(conversion, section, use.source)), path: fileOf(use) }],
  });
}

function mountOptionsOf(use: ComposeFileReference): { subPath: string; readOnly: true } {
  return { subPath: fileOf(use), readOnly: true };
}

function fileOf(use: ComposeFileReference): string {
  return posix.basename(use.target ?? use.source) || toDataKey(use.source);
}

function nameOf({ project }: ProjectConversion, section: FileSection, key: string): string {
  return toDnsLabel(toResource(project[section].get(key) ?? {}).name ?? key) || 'store';
}

/** The key of the data: the name of the file, or of the config or secret. */
function keyOf({ project }: ProjectConversion, section: FileSection, key: string): string {
  const { file } = toResource(project[section].get(key) ?? {});
  return file === undefined ? key : posix.basename(file);
}

function contentOf(conversion: ProjectConversion, section: FileSection, key: string, name: string): Uint8Array {
  const store = toResource(conversion.project[section].get(key) ?? {});
  const missing = (what: string, remedy: string): Uint8Array => {
    const pointer = toPointer(section, key);
    conversion.warnings.push(
      conversion.project.fault(pointer, `${what}; ${name} is empty until it is filled in`, remedy),
    );
    return new Uint8Array();
  };
  if (store.content !== undefined) return Buffer.from(store.content);
  if (store.environment !== undefined) {
    const value = conversion.project.variables.get(store.environment);
    return value === undefined
      ? missing(`the variable ${store.environment} is not set`, 'Send it in env.')
      : Buffer.from(value);
  }
  const file = conversion.files.file(store.file ?? '');
  return (
    file?.bytes ??
    missing(
      `${store.file?.slice(0, 200) ?? 'its content'} is not part of the import`,
      'Import an archive that holds it.',
    )
  );
}
