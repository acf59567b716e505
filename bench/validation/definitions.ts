import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject, asObject, asText } from '../../src/core/json/json.js';
import type { ApiServer, Kind } from './api-server.js';
import type { Random } from './random.js';

/** A definition that the server serves, with the schema of one of its versions. */
export interface Installed {
  kind: Kind;
  schema: JsonObject;
}

/** Definitions of different kinds, those with rules first, for they have most to say. */
export function definitionsOf(objects: JsonObject[], most: number, random: Random): JsonObject[] {
  const byName = new Map<string, JsonObject>();
  for (const object of objects) {
    const name = asText(asObject(object['metadata'])['name']);
    if (object['kind'] === 'CustomResourceDefinition' && !byName.has(name)) byName.set(name, object);
  }
  const all = random.some([...byName.values()], byName.size);
  const hasRules = (definition: JsonObject): number =>
    Number(JSON.stringify(definition).includes('x-kubernetes-validations'));
  return all.sort((a, b) => hasRules(b) - hasRules(a)).slice(0, most);
}

/** Installs definitions without their webhooks, and waits until their kinds are served. */
export async function install(server: ApiServer, definitions: JsonObject[]): Promise<Installed[]> {
  const installed: Installed[] = [];
  for (const definition of definitions) {
    const { conversion: _conversion, ...spec } = definition['spec'] as JsonObject;
    const { name } = definition['metadata'] as { name: string };
    // Groups of Kubernetes' own need to say that they were approved.
    const metadata = {
      name,
      annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/kubernetes/pull/1' },
    };
    const { status } = await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata,
      spec,
    });
    if (status !== 201) continue;
    const versions = (spec['versions'] as JsonObject[]).filter(isObject);
    const version = versions.find(({ storage, served }) => storage === true && served !== false);
    const schema = (version?.['schema'] as JsonObject | undefined)?.['openAPIV3Schema'];
    const names = spec['names'] as { kind: string; plural: string };
    if (!version || !isObject(schema)) continue;
    const apiVersion = `${asText(spec['group'])}/${asText(version['name'])}`;
    const namespaced = spec['scope'] === 'Namespaced';
    const path = `/apis/${apiVersion}${namespaced ? '/namespaces/default' : ''}/${names.plural}`;
    installed.push({ kind: { apiVersion, kind: names.kind, namespaced, path }, schema });
  }
  const served: Installed[] = [];
  for (const one of installed) if (await isServed(server, one.kind.path)) served.push(one);
  return served;
}

async function isServed(server: ApiServer, path: string): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    const { status } = await server.call('GET', `${path}?limit=1`);
    if (status === 200) return true;
    await sleep(50);
  }
  return false;
}
