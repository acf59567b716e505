import { readFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';

/** The text of a kubeconfig with its current context alone: a demonstration registers one cluster, not all of them. */
export async function onlyCurrentContext(file) {
  const config = parse(await readFile(file, 'utf8'));
  const context = config?.contexts?.find(({ name }) => name === config['current-context']) ?? config?.contexts?.[0];
  if (!context) throw new Error(`${file} has no context`);
  const named = (list, name) => (list ?? []).filter((entry) => entry.name === name);
  return stringify({
    ...config,
    contexts: [context],
    clusters: named(config.clusters, context.context.cluster),
    users: named(config.users, context.context.user),
    'current-context': context.name,
  });
}
