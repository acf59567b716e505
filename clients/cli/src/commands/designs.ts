import type { Command } from 'commander';
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdtemp, realpath, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import systemPaths, { basename, join, posix } from 'node:path';
import { ArmatureError, type DesignPreviewView, toFile, type WrittenDesignView } from '@armature/client';
import { Failure, faultLine, WrongUse } from '../failure.js';
import { packFolder } from '../folder.js';
import { detailsOf, tableOf } from '../output.js';
import { renderDiff } from '../plan-view.js';
import type { Run } from '../run.js';
import type { Named, Session } from '../session.js';
import { only } from '../session.js';
import { mergeValues } from '../values.js';
import { exportAll } from '../apply/export.js';
import { collect, does, withExamples } from './command.js';
import { toInteger } from './deployments.js';
import { type ClusterFlags, importFromCluster } from './import-cluster.js';

interface ImportFlags extends ClusterFlags {
  name?: string;
  new?: boolean;
  values?: string[];
  set?: string[];
}

const FORMATS = ['design', 'json', 'kubernetes', 'helm', 'docker-compose', 'source'];

export function addDesignCommands(program: Command): void {
  withExamples(
    does(
      program
        .command('import [source]')
        .summary('import a design from a file, folder, URL or cluster')
        .description(
          'Imports a manifest, a chart, a Kustomization, a Compose file or a design file. It becomes the next version of the only design of ' +
            'that name in the workspace, else a new design; the same content makes no version. - reads standard input. With --from-cluster ' +
            'what runs in namespaces of a cluster becomes designs.',
        )
        .option('--name <name>', 'the name of the design; default: that of the file, without its extension')
        .option('--new', 'make a new design, also where there is one of that name')
        .option('--values <file>', 'values of a chart; may be repeated', collect)
        .option('--set <key=value>', 'a value of a chart; may be repeated', collect)
        .option('--from-cluster <connection>', 'the connection, by name or id')
        .option('--namespace <name>', 'of --from-cluster: a namespace, or all; may be repeated', collect)
        .option('--selector <labels>', 'of --from-cluster: only objects with these labels')
        .option('--kind <kind>', 'of --from-cluster: only this kind; may be repeated', collect)
        .option('--include-owned', 'of --from-cluster: also what Argo CD, Flux or an operator manage')
        .option('--preview', 'of --from-cluster: only show what would be imported'),
      importSource,
    ),
    'armature import shop.yaml',
    'armature import ./chart --name shop --values production.yaml --set image.tag=1.2.3',
    'kustomize build . | armature import - --name shop',
    'armature import --from-cluster main --namespace shop --preview',
  );
  does(
    program
      .command('validate <files...>')
      .summary('check files, and store nothing')
      .description(
        'Reads files as an import does, checks their resources against the registry, and stores nothing. Ends with 1 when a file has a fault.',
      ),
    validate,
  );
  does(
    program
      .command('diff <design> [from] [to]')
      .summary('compare two versions of a design')
      .description('Compares two versions of a design; default: the latest with the one before it.'),
    diff,
  );
  withExamples(
    does(
      program
        .command('export [design]')
        .summary('write a design, or everything, to files')
        .description(
          'Writes a design to standard output or a file; with --all, what the organization has as documents for "armature apply".',
        )
        .option('--format <format>', `one of ${FORMATS.join(', ')}`, toFormat, 'design')
        .option('--file <path>', 'write to this file')
        .option('--all', 'everything of the organization but secrets')
        .option('--folder <path>', 'the folder of --all; it is made where it is not there'),
      exportDesign,
    ),
    'armature export shop --format kubernetes > shop.yaml',
    'armature export --all --folder backup',
  );
  does(
    program
      .command('diagram <design>')
      .summary('draw a design')
      .description('Draws a design as SVG.')
      .option('--open', 'show it with the program of the system')
      .option('--file <path>', 'write to this file'),
    drawDiagram,
  );
}

function toFormat(text: string): string {
  if (FORMATS.includes(text)) return text;
  throw new WrongUse(`there is no format ${text}`, `Use one of ${FORMATS.join(', ')}.`);
}

async function importSource(run: Run, flags: ImportFlags, source?: string): Promise<void> {
  if (flags.fromCluster !== undefined) {
    if (source !== undefined) throw new WrongUse('import takes a source or --from-cluster', 'Leave one of them out.');
    return importFromCluster(run, flags, flags.fromCluster);
  }
  if (source === undefined) throw new WrongUse('the source is missing', 'Name a file, a folder or a URL, or - .');
  const values = await mergeValues(flags.values ?? [], flags.set ?? []);
  const content = await readSource(run, source);
  const name = flags.name ?? nameOf(source);
  const session = await run.session();
  const workspace = await session.requireWorkspace();
  const query = { workspace_id: workspace.id };
  const found = await session.findAll<Named & { version_number: number }>(name, 'listDesigns', { query });
  const current = found.length > 0 && !flags.new ? only('design', name, found) : null;
  const target = current ? { id: current.id } : { name, workspace_id: workspace.id };
  const imported = (await session.armature.importDesign({
    body: { ...content, ...target, ...(values ? { values } : {}) },
  })) as WrittenDesignView;
  for (const warning of imported.warnings) run.terminal.say(`! ${faultLine(warning)}`);
  const { version_number: version } = imported;
  const outcome = !current ? 'is new' : version === current.version_number ? 'is unchanged' : `has a new version`;
  run.terminal.say(`Design ${imported.name} ${outcome}: version ${version} in workspace ${workspace.name}.`);
  await run.output.show(imported, {
    table: (design) =>
      detailsOf([
        ['design', design.name],
        ['id', design.id],
        ['version', design.version_number],
        ['type', design.source_type],
        ['workspace', workspace.name],
      ]),
    name: (design) => [`design/${flags.new && found.length > 0 ? design.id : design.name}`],
  });
}

const isUrl = (source: string): boolean => /^https?:\/\//i.test(source);

/** What an import sends of a source: its address, or the file. */
async function readSource(run: Run, source: string): Promise<{ url: string } | { file: File }> {
  if (isUrl(source)) return { url: source };
  if (source === '-') return { file: await toFile(await run.terminal.readInput(), 'stdin') };
  if ((await stat(source)).isDirectory())
    return { file: await toFile(await packFolder(source), `${basename(await realpath(source))}.tar.gz`) };
  return { file: await toFile(source) };
}

/** The name of a design for a source. @throws WrongUse for standard input, which has none */
export function nameOf(source: string, paths: Pick<typeof systemPaths, 'basename'> = systemPaths): string {
  if (source === '-') throw new WrongUse('what comes from standard input has no name', 'Name the design with --name.');
  const file = isUrl(source) ? posix.basename(new URL(source).pathname) : paths.basename(source);
  if (file === '.' || file === '..' || file === '') return basename(process.cwd());
  // A folder such as chart-1.2 has no extension.
  if (!isUrl(source) && statSync(source, { throwIfNoEntry: false })?.isDirectory()) return file;
  return file.replace(/(\.tar\.gz|\.[^.]+)$/, '') || file;
}

interface Validated {
  file: string;
  valid: boolean;
  source_type: string;
  components: number;
  warnings: { detail: string }[];
}

async function validate(run: Run, _: object, files: string[]): Promise<void> {
  const session = await run.session();
  const results: Validated[] = [];
  const faults: string[] = [];
  for (const file of files) {
    try {
      const result = await validateSource(run, session, file);
      faults.push(...result.faults);
      results.push(result.validated);
    } catch (error) {
      if (!(error instanceof ArmatureError) || error.status !== 400) throw error;
      const found = error.errors.length > 0 ? error.errors.map(faultLine) : [error.message];
      faults.push(...found.map((line) => `${file}: ${line}`));
    }
  }
  if (faults.length > 0) throw new Failure('what was read has faults', 'Correct them and validate again.', 1, faults);
  for (const { file, warnings } of results)
    for (const warning of warnings) run.terminal.say(`${file}: ! ${faultLine(warning)}`);
  await run.output.show(results, {
    table: (records) =>
      tableOf(
        records,
        [
          ['FILE', ({ file }) => file],
          ['TYPE', ({ source_type: type }) => type],
          ['COMPONENTS', ({ components }) => components],
          ['WARNINGS', ({ warnings }) => warnings.length],
        ],
        run.terminal.width,
      ),
    name: (records) => records.map(({ file }) => `file/${file}`),
  });
}

/** One call: an import that stores nothing checks every resource against the registry. */
async function validateSource(
  run: Run,
  session: Session,
  file: string,
): Promise<{ validated: Validated; faults: string[] }> {
  const content = await readSource(run, file);
  const preview = (await session.armature.importDesign({
    body: {
      ...content,
      name: file === '-' ? 'stdin' : nameOf(file),
      save: false,
      workspace_id: await session.workspaceId(),
      organization_id: await session.organizationId(),
    },
  })) as DesignPreviewView;
  const faults = preview.warnings.filter(isRefused);
  const reasons = faults.map(({ detail }) => detail);
  if (!preview.canSupport && !reasons.includes(preview.errmsg)) reasons.push(preview.errmsg);
  return {
    faults: reasons.map((detail) => `${file}: ${detail}`),
    validated: {
      file,
      valid: true,
      source_type: preview.source_type,
      components: preview.components,
      // What the workspace has by that name does not matter to a file.
      warnings: preview.warnings.filter((each) => !faults.includes(each) && each.pointer !== '/name'),
    },
  };
}

/** Whether a cluster refuses a resource for it; a field that it drops is a warning. */
const isRefused = ({ pointer = '', keyword }: WrittenDesignView['warnings'][number]): boolean =>
  keyword !== undefined && keyword !== 'unknown-field' && /^\/components\/\d+\/configuration(\/|$)/.test(pointer);

const numberText = (text: string | undefined): string | undefined => text && String(toInteger(text));

async function diff(run: Run, _: object, text: string, from?: string, to?: string): Promise<void> {
  const session = await run.session();
  const { id } = await session.resolveDesign(text);
  const query = { from: numberText(from), to: numberText(to) };
  const compared = await session.armature.compareDesignVersions({ path: { id }, query });
  await run.output.show(compared, {
    table: (record) => renderDiff(record, Math.min(run.terminal.width, 160)),
    name: ({ removed, changed, added }) =>
      [...removed, ...changed, ...added].map(({ kind, name }) => `${kind.toLowerCase()}/${name}`),
    isLong: true,
  });
}

interface ExportFlags {
  format: string;
  file?: string;
  all?: boolean;
  folder?: string;
}

async function exportDesign(run: Run, { format, file, all, folder }: ExportFlags, text?: string): Promise<void> {
  if (all) {
    if (text !== undefined || folder === undefined)
      throw new WrongUse('export --all takes --folder, and no design', 'Write "armature export --all --folder DIR".');
    return exportAll(run, folder);
  }
  if (text === undefined)
    throw new WrongUse('the design is missing', 'Name it, or write "armature export --all --folder DIR".');
  const session = await run.session();
  const design = await session.resolveDesign(text);
  const query = { export: format as 'design' };
  const { data } = await session.armature.request('GET', `/api/pattern/download/${design.id}`, { query });
  await write(run, data, file);
}

/** Writes content to a file, or to standard output. @throws WrongUse for bytes on a terminal */
async function write(run: Run, data: unknown, file: string | undefined): Promise<void> {
  const bytes =
    data instanceof Blob
      ? new Uint8Array(await data.arrayBuffer())
      : Buffer.from(typeof data === 'string' ? data : `${JSON.stringify(data, null, 2)}\n`);
  if (file !== undefined) {
    await writeFile(file, bytes);
    return run.terminal.say(`Written to ${file}.`);
  }
  if (run.terminal.showsToPerson && bytes.includes(0))
    throw new WrongUse('this is an archive, and no text for a terminal', 'Write it to a file with --file.');
  run.terminal.data(bytes);
}

async function drawDiagram(run: Run, { open, file }: { open?: boolean; file?: string }, text: string): Promise<void> {
  const session = await run.session();
  const design = await session.resolveDesign(text);
  const { data } = await session.armature.request('GET', `/api/pattern/${design.id}/diagram.svg`);
  if (!open) return write(run, data, file);
  const path = file ?? join(await mkdtemp(join(tmpdir(), 'armature-')), 'design.svg');
  await write(run, data, path);
  openWithSystem(path);
}

function openWithSystem(path: string): void {
  const [program, ...args] = { darwin: ['open', path], win32: ['cmd', '/c', 'start', '', path] }[
    process.platform as string
  ] ?? ['xdg-open', path];
  const child = spawn(program as string, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => process.stderr.write(`${program} cannot be run: open ${path} in a browser.\n`));
  child.unref();
}
