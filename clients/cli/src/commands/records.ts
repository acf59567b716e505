import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { Failure, WrongUse } from '../failure.js';
import {
  describe,
  type Json,
  type Kind,
  kindOf,
  KINDS,
  namesOf,
  type Place,
  placeOf,
  tableOfKind,
} from '../records.js';
import type { Run } from '../run.js';
import { isId, only, type Session } from '../session.js';
import { setValue } from '../values.js';
import { parseYaml } from '../yaml.js';
import { collect, does, withExamples } from './command.js';
import { toInteger } from './deployments.js';

const DELETABLE = (kind: Kind): boolean => kind.delete !== undefined;
const names = (kinds: readonly Kind[]): string => kinds.map(({ name }) => name).join(', ');

export function addRecordCommands(program: Command): void {
  const placed = (command: Command): Command =>
    command
      .option('-e, --environment <name>', 'the environment that a freeze belongs to')
      .option('--design <name>', 'the design that a version or snapshot belongs to');
  withExamples(
    does(
      placed(program.command('get <kind> <name>'))
        .summary('show one record')
        .description(`Shows a record by its name or id. Kinds: ${names(KINDS)}.`),
      getRecord,
    ),
    "armature get environment staging -o jsonpath='{.id}'",
  );
  withExamples(
    does(
      placed(program.command('list <kind>'))
        .summary('list records')
        .description(`Lists records. Kinds: ${names(KINDS)}.`)
        .option('--limit <number>', 'at most so many', toInteger),
      listRecords,
    ),
    'armature list connections',
    'armature list deployments --limit 10 -o json',
  );
  withExamples(
    does(
      placed(program.command('create <kind> [name]'))
        .summary('make a record')
        .description(
          `Makes a record with the fields of the API, from --set or a file. Kinds: ${names(KINDS.filter(({ create }) => create))}.`,
        )
        .option('--set <field=value>', 'a field; JSON where it is some, else text; may be repeated', collect)
        .option('-f, --file <path>', 'the fields as YAML or JSON; - reads standard input'),
      createRecord,
    ),
    'armature create environment staging --set tier=staging',
    'armature create policy no-latest -f policy.yaml -w shop',
  );
  does(
    placed(program.command('delete <kind> <name>'))
      .summary('delete a record')
      .description(`Deletes a record by its name or id. Kinds: ${names(KINDS.filter(DELETABLE))}.`),
    deleteRecord,
  );
}

const noSuch = (kind: Kind, what: string): WrongUse =>
  new WrongUse(`a ${kind.name} cannot be ${what} here`, 'Use "armature api" where the API has a call for it.');

/** The methods of the client by their names, as the table of kinds has them. */
const call = (session: Session, operation: string, options: object): Promise<Json> =>
  (session.armature as unknown as Record<string, (options: object) => Promise<Json>>)[operation]?.(
    options,
  ) as Promise<Json>;

async function getRecord(run: Run, place: Place, kindName: string, text: string): Promise<void> {
  const kind = kindOf(kindName);
  const { record, isOnly } = await findRecord(run, kind, place, text);
  await run.output.show(record, {
    table: (each) => describe(kind, each),
    name: (each) => namesOf(kind, [each], isOnly),
  });
}

/** The complete record that a name or id stands for, and whether its name is the only one. */
async function findRecord(
  run: Run,
  kind: Kind,
  place: Place,
  text: string,
): Promise<{ record: Json; isOnly: boolean }> {
  const session = await run.session();
  const options = await placeOf(kind, session, place);
  const byId = kind.get !== undefined && (isId(text) || kind.name === 'version');
  if (byId) {
    const record = await getOf(session, kind, options.path, text);
    return { record, isOnly: await hasOwnName(run, session, kind, options, record) };
  }
  const found = await findNamed(session, kind, options, text);
  const one = only(
    kind.name,
    text,
    found.map((record) => ({ ...record, id: kind.idOf(record), name: kind.nameOf(record) })),
  );
  const record = found.find((each) => kind.idOf(each) === one.id) as Json;
  return { record: kind.get ? await getOf(session, kind, options.path, kind.idOf(record)) : record, isOnly: true };
}

/** Whether no other record has its name, as far as what is printed depends on that. */
async function hasOwnName(run: Run, session: Session, kind: Kind, options: Options, record: Json): Promise<boolean> {
  if (run.output.format !== 'name' || !kind.list) return true;
  return (await findNamed(session, kind, options, kind.nameOf(record))).length < 2;
}

const getOf = (session: Session, kind: Kind, path: object, id: string): Promise<Json> =>
  call(session, kind.get ?? '', { path: { ...path, [kind.idParameter ?? 'id']: id } });

type Options = Awaited<ReturnType<typeof placeOf>>;

async function findNamed(session: Session, kind: Kind, { path, query }: Options, text: string): Promise<Json[]> {
  if (!kind.list) throw noSuch(kind, 'found by its name');
  const wanted = text.normalize('NFC').trim();
  const found: Json[] = [];
  for await (const record of session.list<Json>(kind.list, {
    path,
    query: { ...query, search: wanted, pagesize: 100 },
  }))
    if (kind.nameOf(record) === wanted || kind.idOf(record) === text) found.push(record);
  return found;
}

async function listRecords(
  run: Run,
  { limit = Infinity, ...place }: Place & { limit?: number },
  kindName: string,
): Promise<void> {
  const kind = kindOf(kindName);
  if (!kind.list) throw noSuch(kind, 'listed');
  const session = await run.session();
  const { path, query } = await placeOf(kind, session, place);
  const records: Json[] = [];
  // Whether a name is the only one shows in all records.
  const most = run.output.format === 'name' ? Infinity : limit;
  const pagesize = Math.min(Math.max(most, 1), 500);
  if (limit > 0)
    for await (const record of session.list<Json>(kind.list, { path, query: { ...query, pagesize } })) {
      records.push(record);
      if (records.length >= most) break;
    }
  await run.output.show(records, {
    table: (all) => tableOfKind(kind, all, run.terminal.width),
    name: (all) => namesOf(kind, all).slice(0, limit),
  });
}

const SECRET_FIELDS =
  /^(secret|credential_secret|password|headers|request_headers|request_cookies|routing_key)(\.|=|$)/;

async function createRecord(
  run: Run,
  { set = [], file, ...place }: Place & { set?: string[]; file?: string },
  kindName: string,
  name?: string,
): Promise<void> {
  const kind = kindOf(kindName);
  if (!kind.create) throw noSuch(kind, 'made');
  const body: Json = file === undefined ? {} : await readFields(run, file);
  for (const setting of set) {
    if (SECRET_FIELDS.test(setting))
      throw new WrongUse(
        `${setting.split(/[.=]/)[0]} is a secret, which others can read in the arguments of a program`,
        'Send the fields in a file with -f, or on standard input with -f -.',
      );
    setValue(body, setting);
  }
  const nameField = { user: 'email', webhook: 'url' }[kind.name] ?? 'name';
  if (name !== undefined) body[nameField] = name;
  else if (body[nameField] === undefined)
    throw new WrongUse(
      'the name is missing',
      `Write "armature create ${kind.name} NAME", or put ${nameField} into the file.`,
    );
  const session = await run.session();
  const options = await placeOf(kind, session, place);
  const { path } = options;
  const made = await call(session, kind.create, { path, body: { ...(await ownerOf(kind, session, body)), ...body } });
  const isOnly = await hasOwnName(run, session, kind, options, made);
  await run.output.show(made, { table: (each) => describe(kind, each), name: (each) => namesOf(kind, [each], isOnly) });
}

/** What a body names of the chosen organization and workspace, unless it says otherwise. */
async function ownerOf({ scope, create }: Kind, session: Session, body: Json): Promise<Json> {
  if (scope === 'organization')
    return body['organization_id'] ? {} : { organization_id: (await session.requireOrganization()).id };
  if (scope !== 'workspace' || !create || body['workspace_id']) return {};
  return { workspace_id: (await session.requireWorkspace()).id };
}

async function readFields(run: Run, file: string): Promise<Json> {
  const text = file === '-' ? (await run.terminal.readInput()).toString('utf8') : await readFile(file, 'utf8');
  const read = await parseYaml(text, file);
  if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read;
  throw new Failure(`${file} has no fields: it is not a map`, 'Write the fields of the record as YAML or JSON.');
}

async function deleteRecord(run: Run, place: Place, kindName: string, text: string): Promise<void> {
  const kind = kindOf(kindName);
  if (!kind.delete) throw noSuch(kind, 'deleted');
  const { record, isOnly } = await findRecord(run, kind, place, text);
  await run.confirm(`Delete ${kind.name} ${kind.nameOf(record)} (${kind.idOf(record)})?`);
  const session = await run.session();
  const { path } = await placeOf(kind, session, place);
  const deleted = await call(session, kind.delete, {
    path: { ...path, [kind.idParameter ?? 'id']: kind.idOf(record) },
  });
  run.terminal.say(`Deleted ${kind.name} ${kind.nameOf(record)}.`);
  await run.output.showBeside(deleted, () => namesOf(kind, [record], isOnly));
}
