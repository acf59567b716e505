import { InvalidRequest } from '../../../core/errors/app-error.js';
import { type DesignFile } from '../../../formats/design-file/design-file.js';
import { isObject, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { type ChartMetadata } from '../../../formats/helm/chart-metadata.js';
import { type ChartRelease } from '../../../formats/helm/helm.js';
import { trimText } from '../../../core/trim-text.js';
import type { GeneratedCall } from './chart-renderer.js';
import { type FormatInput, type ImportOptions } from '../format.js';

const MAX_NAME_LENGTH = 53;

/** What the design of a chart stores beside its components, so that the chart can be rendered again: `metadata.helm`. */
export interface HelmSettings {
  name: string;
  /** Where it is deployed unless a deployment says otherwise; undefined when nothing was said. */
  namespace?: string;
  chart: { name: string; version: string; appVersion: string };
  values: JsonObject;
}

/** The settings that a design was rendered with; undefined when it was not made from a chart. */
export function readHelmSettings(design: Pick<DesignFile, 'metadata'>): HelmSettings | undefined {
  const { chart, release_name, namespace, values } = asObject(design.metadata['helm']);
  if (!isObject(chart) || asText(release_name) === '') return undefined;
  return {
    chart: {
      name: asText(chart['name']),
      version: asText(chart['version']),
      appVersion: asText(chart['appVersion']),
    },
    name: asText(release_name),
    ...(asText(namespace) === '' ? {} : { namespace: asText(namespace) }),
    values: asObject(values),
  };
}

/** The settings as the design stores them. */
export function toHelmSettings(
  { name, version, appVersion }: ChartMetadata,
  release: ChartRelease,
  namespace: string | undefined,
): JsonObject {
  return {
    chart: { name, version, appVersion },
    release_name: release.releaseName,
    ...(namespace === undefined ? {} : { namespace }),
    values: release.values ?? {},
  };
}

/** The keys of the values that a chart has generated in a rendering, with their calls. */
export function readGeneratedCalls(metadata: JsonObject): GeneratedCall[] {
  const { generated } = asObject(metadata['helm']);
  return (Array.isArray(generated) ? generated : []).map(asObject).map((call) => ({
    key: asText(call['key']),
    template: asText(call['template']),
    function: asText(call['function']),
  }));
}

/** A release name derived from the name of a design: valid for Helm, and stable. */
export function toReleaseName(design: string): string {
  const words = design
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return trimText(words.slice(0, MAX_NAME_LENGTH), /-/) || 'release';
}

/** Parses given values. Throws InvalidRequest with located faults for text that is not a YAML mapping. */
export async function parseValues(given: ImportOptions['values'], input: FormatInput): Promise<JsonObject> {
  if (given === undefined) return {};
  if (typeof given !== 'string') return given as JsonObject;
  const [document, ...more] = await input.parse({ path: 'values', bytes: Buffer.from(given) });
  if (!document) return {};
  const [second] = more;
  const fault = second
    ? second.faultAt('', 'values are one document', 'Send one mapping.')
    : document.object
      ? undefined
      : document.faultAt('', 'values must be a mapping', 'Write them as in values.yaml: "key: value".');
  if (fault) throw new InvalidRequest(`values: ${fault.detail}`, { errors: [fault], remedy: fault.remedy });
  return document.object ?? {};
}

/** Merges values over others, as Helm merges values files; null removes a default of the chart. */
export function mergeValues(below: JsonObject, above: JsonObject): JsonObject {
  const all = new Map(Object.entries(below));
  for (const [name, value] of Object.entries(above)) {
    const under = all.get(name);
    all.set(name, isObject(under) && isObject(value) ? mergeValues(under, value) : value);
  }
  return Object.fromEntries(all);
}
