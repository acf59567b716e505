import { type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { isObject, type JsonObject } from '../core/json/json.js';
import { definedFields } from '../core/rest/read-only-fields.js';
import { parseDotenv } from './formats/compose/dotenv.js';
import type { KubernetesSettings } from './enrichment/design-enrichment.service.js';
import type { ImportOptions } from './formats/format.js';
import type { SourceType } from './formats/source-type.js';

/** The settings for reading a source, as in the request. */
export interface SourceSettings {
  values?: unknown;
  env?: unknown;
  namespace?: unknown;
  release_name?: unknown;
  path?: unknown;
  kube_version?: unknown;
  api_versions?: unknown;
}

type SettingName = keyof SourceSettings;

export const SETTING_NAMES: readonly SettingName[] = [
  ...(['values', 'env', 'namespace', 'release_name', 'path', 'kube_version', 'api_versions'] as const),
];

/** The formats that support a setting; `path` is for archives of any format. */
const FORMAT_OF_SETTING: Partial<Record<SettingName, { sourceType: SourceType; words: string }>> = {
  values: { sourceType: 'helm', words: 'a Helm chart' },
  namespace: { sourceType: 'helm', words: 'a Helm chart' },
  release_name: { sourceType: 'helm', words: 'a Helm chart' },
  kube_version: { sourceType: 'helm', words: 'a Helm chart' },
  api_versions: { sourceType: 'helm', words: 'a Helm chart' },
  env: { sourceType: 'docker-compose', words: 'a Compose file' },
};

/** The maximum size of a `.env` text, which is parsed synchronously. */
const MAX_ENV_LENGTH = 100_000;
const MAX_PATH_LENGTH = 1000;
/** A valid name of a Kubernetes namespace and of a Helm release. */
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const RELEASE_NAME = /^(?=.{1,53}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

const KUBE_VERSION = /^v?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?(?:[-+][\w.+-]{1,60})?$/;
const API_VERSION = /^(?:[a-z0-9.-]{1,253}\/)?v[a-z0-9]{1,62}(?:\/[A-Z][A-Za-z0-9]{0,62})?$/;
const MAX_API_VERSIONS = 1_000;

/** The options of an import, and the Kubernetes that a chart sees where it has no cluster. */
export type ReadOptions = ImportOptions & { kubernetes?: KubernetesSettings };

/** The settings that were sent. */
export function getSentSettings(settings: SourceSettings): SettingName[] {
  return SETTING_NAMES.filter((name) => settings[name] !== undefined && settings[name] !== '');
}

/** Merges the settings at the top of a body with those in its `pattern_data`. @throws InvalidRequest for a setting in both */
export function mergeSettings(top: SourceSettings, nested: SourceSettings): SourceSettings {
  const both = SETTING_NAMES.find((name) => top[name] !== undefined && nested[name] !== undefined);
  if (both) throw InvalidRequest.forField(`/pattern_data/${both}`, `is given beside ${both}`, 'Send it once.');
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, top[name] ?? nested[name]]));
}

/** @throws InvalidRequest naming each setting that is malformed */
export function toImportOptions(settings: SourceSettings): ReadOptions {
  const { values, env, namespace, release_name, path, kube_version } = settings;
  const release = definedFields({
    namespace: parseText('/namespace', namespace, NAMESPACE, 'must be the name of a namespace'),
    name: parseText('/release_name', release_name, RELEASE_NAME, 'must be the name of a Helm release'),
  });
  return {
    values: parseValues(values),
    env: parseVariables(env),
    path: parseText('/path', path, /^[^\0]*$/, 'must be a path in the archive'),
    release,
    kubernetes: {
      version: parseText(
        '/kube_version',
        kube_version,
        KUBE_VERSION,
        'must be a version of Kubernetes, such as v1.36.0',
      ),
      apiVersions: parseApiVersions(settings.api_versions),
    },
  };
}

/** Refuses settings with which a design cannot be read again. @throws InvalidRequest */
export function assertSettingsFit(sourceType: SourceType, settings: SourceSettings): void {
  const [first] = findMisfits(sourceType, settings);
  if (!first) return;
  throw new InvalidRequest(first.detail, { errors: [first], remedy: first.remedy });
}

/** Warnings about settings that the detected format does not support. */
export const findUnusedSettings = (sourceType: SourceType, settings: SourceSettings): Fault[] =>
  findMisfits(sourceType, settings).map((fault) => ({ ...fault, detail: `${fault.detail}; it has no effect` }));

function findMisfits(sourceType: SourceType, settings: SourceSettings): Fault[] {
  return getSentSettings(settings).flatMap((name) => {
    const only = FORMAT_OF_SETTING[name];
    if (!only || only.sourceType === sourceType) return [];
    return [{ pointer: `/${name}`, detail: `${name} is for designs of ${only.words}`, remedy: 'Leave it out.' }];
  });
}

/** @throws InvalidRequest when it is neither YAML text nor an object */
export function parseValues(given: unknown): ImportOptions['values'] {
  if (given === undefined || typeof given === 'string' || isObject(given)) return given;
  throw InvalidRequest.forField('/values', 'must be YAML text or an object');
}

function parseText(pointer: string, given: unknown, form: RegExp, detail: string): string | undefined {
  if (given === undefined || given === '') return undefined;
  if (typeof given === 'string' && given.length <= MAX_PATH_LENGTH && form.test(given)) return given;
  throw InvalidRequest.forField(pointer, detail);
}

/** A list, or text with commas, as forms send it. */
function parseApiVersions(given: unknown): string[] {
  const all: unknown[] =
    typeof given === 'string' ? given.split(',') : Array.isArray(given) ? given : given === undefined ? [] : [null];
  const texts = all.map((each) => (typeof each === 'string' ? each.trim() : null)).filter((each) => each !== '');
  if (texts.length <= MAX_API_VERSIONS && texts.every((each) => each !== null && API_VERSION.test(each)))
    return texts as string[];
  throw InvalidRequest.forField('/api_versions', 'must be a list of group/version or group/version/Kind');
}

function parseVariables(given: unknown): Record<string, string> | undefined {
  if (given === undefined) return undefined;
  const size = typeof given === 'string' ? given.length : JSON.stringify(given).length;
  if (size > MAX_ENV_LENGTH)
    throw InvalidRequest.forField(
      '/env',
      `must have at most ${MAX_ENV_LENGTH} characters`,
      'Send only what the file asks for.',
    );
  const object: unknown = typeof given === 'string' ? parseVariablesText(given) : given;
  if (!isObject(object)) throw InvalidRequest.forField('/env', 'must be an object, or lines of NAME=value');
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function parseVariablesText(text: string): JsonObject {
  if (text.trim().startsWith('{')) {
    try {
      return JSON.parse(text) as JsonObject;
    } catch {
      throw InvalidRequest.forField('/env', 'is not valid JSON');
    }
  }
  const { values: found, faults } = parseDotenv({ path: 'env', bytes: Buffer.from(text) });
  if (faults.length > 0) throw new InvalidRequest('env is not a valid .env file', { errors: faults });
  return Object.fromEntries(found);
}
