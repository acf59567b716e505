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

/** A command of the command line, and what it takes of a call. */
interface Command {
  words: string[];
  /** The field that is an argument; a call without it is not of this command. */
  argument: string;
  flags: Record<string, string>;
}

const OF_REQUESTS = { environment_id: '-e', version: '--version' };
const COMMANDS: Partial<Record<OperationName, Command[]>> = {
  approveDeployment: [{ words: ['approve'], argument: 'id', flags: { reason: '--reason', async: '--async' } }],
  rejectDeployment: [{ words: ['reject'], argument: 'id', flags: { reason: '--reason' } }],
  planDeployment: [{ words: ['plan'], argument: 'id', flags: OF_REQUESTS }],
  deployDesign: [
    {
      words: ['deploy'],
      argument: 'id',
      flags: { ...OF_REQUESTS, plan_id: '--plan', request_approval: '--request-approval', async: '--async' },
    },
  ],
  importDesign: [
    {
      words: ['import', '--new'],
      argument: 'file',
      flags: { name: '--name', workspace_id: '--workspace', organization_id: '--organization' },
    },
    {
      words: ['import', '--from-cluster'],
      argument: 'connection_id',
      flags: { namespaces: '--namespace', workspace_id: '--workspace', preview: '--preview' },
    },
  ],
  registerKubeconfig: [
    { words: ['cluster', 'add'], argument: 'k8sfile', flags: { organization_id: '--organization' } },
  ],
};
const SWITCHES = new Set(['--request-approval', '--async', '--preview']);

/** The same with the command line: with its own command where that takes all that the call has. */
export function toArmature<K extends OperationName>(operation: K, options?: Options<K>): string {
  const {
    path: ids,
    query: given,
    body: content,
  } = (options ?? {}) as Partial<Record<'path' | 'query' | 'body', object>>;
  const fields = { ...ids, ...given, ...content };
  for (const command of COMMANDS[operation] ?? []) {
    const words = toWords(command, fields);
    if (words) return ['armature', ...words.map(quote)].join(' ');
  }
  const { method, path, query, body } = describe(operation, options);
  const search = Object.keys(query).length > 0 ? `?${new URLSearchParams(query).toString()}` : '';
  const data = body === undefined ? [] : ['--data', JSON.stringify(body)];
  return ['armature', 'api', method, path + search, ...data].map(quote).join(' ');
}

/** Null where a field has no flag. */
function toWords({ words, argument, flags }: Command, fields: Record<string, unknown>): string[] | null {
  const { [argument]: subject, ...rest } = fields;
  if (subject === undefined) return null;
  const result = [...words, toArgument(subject)];
  for (const [name, value] of Object.entries(rest)) {
    const flag = flags[name];
    if (value === undefined) continue;
    if (flag === undefined) return null;
    if (!SWITCHES.has(flag)) result.push(...[value].flat().flatMap((each) => [flag, toArgument(each)]));
    else if (value === true || value === 'true') result.push(flag);
  }
  return result;
}

function toArgument(value: unknown): string {
  if (!(value instanceof File)) return String(value);
  // A name with a dash first is no flag.
  return value.name.startsWith('-') ? `./${value.name}` : value.name;
}
