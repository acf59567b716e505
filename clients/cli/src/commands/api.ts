import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { WrongUse } from '../failure.js';
import { detailsOf, cellOf } from '../output.js';
import type { Run } from '../run.js';
import { collect, current, does, withExamples } from './command.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function addApiCommand(program: Command): void {
  withExamples(
    does(
      program
        .command('api <method> <path>')
        .summary('make any call of the API')
        .description('Makes a call of the API with the token of the context, and prints the body of the response.')
        .option('--data <json>', 'the body: JSON, @FILE, or - for standard input')
        .option('-H, --header <header>', "a header, as 'Name: value'; may be repeated", collect),
      callApi,
    ),
    'armature api GET /api/system/version',
    'armature api POST /api/workspaces --data \'{"name":"shop","organization_id":"…"}\'',
  );
}

async function callApi(
  run: Run,
  flags: { data?: string; header?: string[] },
  method: string,
  path: string,
): Promise<void> {
  const verb = method.toUpperCase();
  if (!METHODS.includes(verb)) throw new WrongUse(`there is no method ${method}`, `Use one of ${METHODS.join(', ')}.`);
  if (!path.startsWith('/')) throw new WrongUse(`${path} is no path`, 'It begins with a slash, as /api/environments.');
  const headers = toHeaders(flags.header ?? []);
  const data = flags.data === undefined ? undefined : await readData(run, flags.data);
  if (data !== undefined) headers['Content-Type'] ??= 'application/json';
  current.isStream = true;
  const response = await (await run.api()).request(verb, path, { body: data, headers });
  await print(run, response.data);
}

async function readData(run: Run, data: string): Promise<Uint8Array> {
  const bytes =
    data === '-'
      ? await run.terminal.readInput()
      : data.startsWith('@')
        ? await readFile(data.slice(1))
        : Buffer.from(data);
  return new Uint8Array(bytes);
}

/** Headers by name; the token is that of the context. */
function toHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+):(.*)$/s.exec(line) ?? [];
    if (!name || value === undefined) throw new WrongUse(`${line} is no header`, "Write it as -H 'Name: value'.");
    if (/^(authorization|cookie)$/i.test(name))
      throw new WrongUse('a token is never an argument', 'Set ARMATURE_TOKEN, or sign in with "armature login".');
    headers[/^content-type$/i.test(name) ? 'Content-Type' : name] = value.trim();
  }
  return headers;
}

async function print(run: Run, data: unknown): Promise<void> {
  if (data === undefined) return;
  if (data instanceof ReadableStream) {
    for await (const chunk of data as unknown as AsyncIterable<Uint8Array>) run.terminal.data(chunk);
    return;
  }
  if (data instanceof Blob) return run.terminal.data(new Uint8Array(await data.arrayBuffer()));
  if (typeof data !== 'object' || data === null)
    return run.terminal.data(typeof data === 'string' ? data : `${JSON.stringify(data)}\n`);
  if (run.output.format === 'table' && !run.flags.output)
    return run.terminal.data(`${JSON.stringify(data, null, 2)}\n`);
  await run.output.show(data as Record<string, unknown>, {
    table: (record) => detailsOf(Object.entries(record).map(([name, value]) => [name, cellOf(value)])),
    name: ({ id }) => (typeof id === 'string' ? [id] : []),
  });
}
