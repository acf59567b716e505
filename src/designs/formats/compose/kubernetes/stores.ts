import { posix } from 'node:path';
import { type JsonObject, pointerTo } from '../../../../formats/located.js';
import { type ComposeStoreUse, resourceOf } from '../project.js';
import { configMap } from './bind.js';
import { type Conversion, present, type ServiceConversion } from './conversion.js';
import { dataKey, dnsLabel } from './names.js';
import { type PodVolumes } from './pod-volumes.js';

type Store = 'configs' | 'secrets';

/** Makes a ConfigMap of each config and a Secret of each secret, but for external ones. */
export function convertStores(conversion: Conversion): void {
  for (const section of ['configs', 'secrets'] as const) {
    for (const [key, definition] of conversion.project[section]) {
      const store = resourceOf(definition);
      if (store.external) continue;
      const name = nameOf(conversion, section, key);
      const content = contentOf(conversion, section, key, name);
      const file = keyOf(conversion, section, key);
      const labels = { 'app.kubernetes.io/name': name };
      const resource: JsonObject =
        section === 'configs'
          ? configMap(name, labels, new Map([[file, { path: file, bytes: content }]]))
          : {
              apiVersion: 'v1',
              kind: 'Secret',
              type: 'Opaque',
              metadata: { name, labels },
              data: { [dataKey(file)]: Buffer.from(content).toString('base64') },
            };
      const compose = { [section === 'configs' ? 'config' : 'secret']: key, definition };
      conversion.add(resource, compose, pointerTo(section, key));
    }
  }
}

/** Mounts the configs of a service; without a target each is a file in the root directory. */
export function configUses(conversion: ServiceConversion, pod: PodVolumes): void {
  for (const use of conversion.service.configs ?? []) {
    const name = nameOf(conversion.conversion, 'configs', use.source);
    const source = { configMap: { name, ...itemsOf(conversion, 'configs', use) } };
    pod.mount(dnsLabel(`config-${name}`), source, posix.join('/', use.target ?? use.source), mounting(use));
  }
}

/** Mounts the secrets of a service, below `/run/secrets` unless a target is absolute. */
export function secretUses(conversion: ServiceConversion, pod: PodVolumes): void {
  for (const use of conversion.service.secrets ?? []) {
    const name = nameOf(conversion.conversion, 'secrets', use.source);
    const source = { secret: { secretName: name, ...itemsOf(conversion, 'secrets', use) } };
    pod.mount(
      dnsLabel(`secret-${name}`),
      source,
      posix.resolve('/run/secrets', use.target ?? use.source),
      mounting(use),
    );
  }
}

function itemsOf({ conversion }: ServiceConversion, section: Store, use: ComposeStoreUse): JsonObject {
  return present({
    defaultMode: use.mode,
    items: [{ key: dataKey(keyOf(conversion, section, use.source)), path: fileOf(use) }],
  });
}

function mounting(use: ComposeStoreUse): { subPath: string; readOnly: true } {
  return { subPath: fileOf(use), readOnly: true };
}

function fileOf(use: ComposeStoreUse): string {
  return posix.basename(use.target ?? use.source) || dataKey(use.source);
}

function nameOf({ project }: Conversion, section: Store, key: string): string {
  return dnsLabel(resourceOf(project[section].get(key) ?? {}).name ?? key) || 'store';
}

/** The key of the data: the name of the file, or of the config or secret. */
function keyOf({ project }: Conversion, section: Store, key: string): string {
  const { file } = resourceOf(project[section].get(key) ?? {});
  return file === undefined ? key : posix.basename(file);
}

function contentOf(conversion: Conversion, section: Store, key: string, name: string): Uint8Array {
  const store = resourceOf(conversion.project[section].get(key) ?? {});
  const missing = (what: string, remedy: string): Uint8Array => {
    const pointer = pointerTo(section, key);
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
