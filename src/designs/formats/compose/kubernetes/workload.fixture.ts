import { type JsonObject } from '../../../../core/json/json.js';
import { importCompose, resourcesOf } from '../compose-input.fixture.js';

/** The resources of a Compose project by `Kind/name`. */
export async function resources(
  content: string | Record<string, string | Uint8Array>,
): Promise<Map<string, JsonObject>> {
  return resourcesOf(await importCompose(content));
}

/** The resources of a project with one service, `web`. */
export async function kinds(service: string, more = ''): Promise<string[]> {
  return [...(await resources(`services: {web: ${service}}\n${more}`)).keys()];
}

export interface PodSpec {
  containers: JsonObject[];
  volumes?: JsonObject[];
  [key: string]: unknown;
}

export async function podOf(service: string, more = ''): Promise<PodSpec> {
  const found = await resources(`services: {web: ${service}}\n${more}`);
  const { spec } = found.get('Deployment/web') as unknown as { spec: { template: { spec: PodSpec } } };
  return spec.template.spec;
}

export async function containerOf(service: string, more = ''): Promise<JsonObject> {
  return (await podOf(service, more)).containers[0] ?? {};
}
