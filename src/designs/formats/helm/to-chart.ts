import { valid } from 'semver';
import { type DesignFile } from '../../../formats/design-file/design-file.js';
import { type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { toManifest } from '../kubernetes-format.js';
import { toReleaseName } from './release.js';

/** Serializes documents as YAML. */
type WriteYaml = (documents: readonly JsonObject[]) => Promise<string>;

/**
 * A chart that renders to the resources of a design, by path from the folder of the chart: one template for each, definitions in `crds/`,
 * which Helm installs first.
 */
export async function buildChartFiles(design: DesignFile, write: WriteYaml): Promise<Map<string, string>> {
  const name = toReleaseName(design.name);
  const head = {
    apiVersion: 'v2',
    name,
    description: design.name,
    type: 'application',
    version: valid(design.version) ?? '0.1.0',
  };
  const files = new Map([
    ['Chart.yaml', await write([head])],
    ['values.yaml', '# The templates of this chart are complete; there is nothing to set.\n{}\n'],
  ]);
  const { resources } = toManifest(design);
  const digits = String(resources.length).length;
  for (const [index, resource] of resources.entries()) {
    const text = await write([resource]);
    const file = `${String(index + 1).padStart(digits, '0')}-${fileNameOf(resource)}.yaml`;
    if (resource['kind'] === 'CustomResourceDefinition') files.set(`crds/${file}`, text);
    else files.set(`templates/${file}`, escapeTemplates(text));
  }
  return files;
}

/** Escapes braces in a resource, which are not template actions of Helm. */
export function escapeTemplates(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}

function fileNameOf(resource: JsonObject): string {
  const { name, generateName } = asObject(resource['metadata']);
  const word = `${asText(resource['kind'])}-${asText(name) || asText(generateName)}`;
  return word
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replace(/^-|-$/g, '');
}
