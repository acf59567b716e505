import { describe, type OperationName, type Options } from './api.js';
import { root } from './router.js';

/** One word of a POSIX shell, whatever is in it. */
const quote = (text: string): string => (/^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** The call as one command, with the token of whoever runs it. */
export function toCurl<K extends OperationName>(operation: K, options?: Options<K>): string {
  const { method, path, query, body } = describe(operation, options);
  const url = new URL(path.slice(1), root);
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
  return [
    'curl -sS',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    quote(url.href),
    '-H "Authorization: Bearer $ARMATURE_TOKEN"',
    ...toBody(body),
  ].join(' ');
}

function toBody(body: unknown): string[] {
  if (body === undefined) return [];
  const fields = Object.entries(body as Record<string, unknown>).filter(([, value]) => value !== undefined);
  if (!fields.some(([, value]) => value instanceof Blob))
    return ["-H 'Content-Type: application/json'", `--data-raw ${quote(JSON.stringify(body))}`];
  // The quotes are those of curl, in which the name of a file may have a comma or a semicolon.
  return fields.map(([name, value]) =>
    value instanceof File
      ? `-F ${quote(`${name}=@"${value.name.replace(/[\\"]/g, '\\$&')}"`)}`
      : `--form-string ${quote(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)}`,
  );
}

/** What the command line calls it by; names are better than ids where they are known. */
const COMMANDS: Partial<Record<OperationName, (options: AnyOptions) => (string | undefined)[]>> = {
  approveDeployment: ({ path, body }) => ['approve', path?.['id'], ...option('--reason', body?.['reason'])],
  rejectDeployment: ({ path, body }) => ['reject', path?.['id'], ...option('--reason', body?.['reason'])],
  planDeployment: ({ body }) => ['plan', text(body?.['id']), ...option('-e', body?.['environment_id'])],
  deployDesign: ({ body }) => [
    'deploy',
    text(body?.['id']),
    ...option('-e', body?.['environment_id']),
    ...option('--plan', body?.['plan_id']),
    ...option('--version', body?.['version']),
    ...(body?.['request_approval'] ? ['--request-approval'] : []),
    ...option('--reason', body?.['reason']),
  ],
  importDesign: ({ body }) => [
    'import',
    body?.['file'] instanceof File ? body['file'].name : text(body?.['url']),
    ...option('--name', body?.['name']),
    ...option('-w', body?.['workspace_id']),
  ],
};

interface AnyOptions {
  path?: Record<string, string>;
  body?: Record<string, unknown>;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
const option = (name: string, value: unknown): string[] => {
  const given = text(value);
  return given ? [name, given] : [];
};

/** The same with the command line. */
export function toArmature<K extends OperationName>(operation: K, options?: Options<K>): string {
  const command = COMMANDS[operation];
  const { method, path, query, body } = describe(operation, options);
  const words = command?.((options ?? {}) as AnyOptions).filter((word) => word !== undefined) ?? [
    'api',
    method,
    path + (Object.keys(query).length > 0 ? `?${new URLSearchParams(query).toString()}` : ''),
    ...(body === undefined ? [] : ['--data', JSON.stringify(body)]),
  ];
  return ['armature', ...words.map(quote)].join(' ');
}
