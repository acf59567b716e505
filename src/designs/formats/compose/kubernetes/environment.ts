import type { Json, JsonObject } from '../../../../core/json/json.js';
import { parseDotenv } from '../dotenv.js';
import type { ServiceConversion } from './conversion.js';
import { holdsPlainSecret } from './plain-secrets.js';
import { toDataKey, toDnsLabel } from './names.js';

/** The variables of a container: `environment` by name, each `env_file` as a ConfigMap. */
export function buildEnvironment(conversion: ServiceConversion): { env: Json[]; envFrom: Json[] } {
  const { service } = conversion;
  const { variables } = conversion.conversion.project;
  const env: Json[] = [];
  for (const [name, value] of Object.entries(service.environment ?? {})) {
    const given = value ?? variables.get(name);
    if (name === '' || !/^[ -<>-~]+$/.test(name)) {
      conversion.fault(
        ['environment', name],
        `"${name.slice(0, 80)}" is not the name of a variable`,
        'Use printable ASCII without "=".',
      );
    } else if (given === undefined) {
      conversion.warn(
        ['environment', name],
        `the variable ${name} is passed on, but it is not set`,
        `Send ${name} in env.`,
      );
    } else {
      env.push({ name, value: escapeVariableReferences(given) });
      if (holdsPlainSecret(name, given)) warnOfPlainSecrets(conversion, ['environment', name], [name], 'the workload');
    }
  }
  return { env, envFrom: buildEnvFrom(conversion) };
}

function buildEnvFrom(conversion: ServiceConversion): Json[] {
  const sources = new Map<string, Json>();
  for (const [index, { path, required, format }] of (conversion.service.env_file ?? []).entries()) {
    const source = conversion.conversion.files.file(path);
    if (!source) {
      if (required) {
        conversion.warn(
          ['env_file', index],
          `${path.slice(0, 200)} is not part of the import; its variables are missing`,
          'Import an archive that holds it.',
        );
      }
      continue;
    }
    const { values, faults } = parseDotenv(source, { inherited: conversion.conversion.project.variables, format });
    conversion.conversion.faults.push(...faults);
    const name = toDnsLabel(path) || 'env';
    const secret = [...values].filter(([key, value]) => holdsPlainSecret(key, value)).map(([key]) => key);
    if (secret.length > 0) warnOfPlainSecrets(conversion, ['env_file', index], secret, `the ConfigMap ${name}`);
    conversion.conversion.add(buildConfigMap(name, conversion.labels, values), { env_file: path }, `/env_file/${path}`);
    sources.set(name, { configMapRef: { name } });
  }
  return [...sources.values()];
}

function warnOfPlainSecrets(
  conversion: ServiceConversion,
  place: (string | number)[],
  names: readonly string[],
  holder: string,
): void {
  const shown = names.slice(0, 10).join(', ').slice(0, 200);
  const detail = `${shown} is plain text in ${holder}, visible to everyone who can read it`;
  conversion.warn(
    place,
    detail,
    'Give it as a secret ("secrets:"), and its path in a variable that ends with _FILE where the image has one.',
  );
}

/** A ConfigMap of texts. */
export function buildConfigMap(
  name: string,
  labels: Record<string, string>,
  data: ReadonlyMap<string, string>,
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels },
    data: Object.fromEntries([...data].map(([key, value]) => [toDataKey(key), value])),
  };
}

/** Escapes text in which Kubernetes would expand `$(NAME)`. */
export function escapeVariableReferences(text: string): string {
  return text.replace(/\$(?=[$(])/g, '$$$$');
}
