import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { testRunFolder } from './test-run.js';

const run = promisify(execFile);
const PACKAGE = 'clients/typescript';

/** How projects that use the package are set up. */
const PROJECTS = {
  NodeNext: { type: 'module', compilerOptions: { module: 'nodenext', lib: ['ES2023'], types: ['node'] } },
  CommonJS: { type: 'commonjs', compilerOptions: { module: 'nodenext', lib: ['ES2023'], types: ['node'] } },
  Bundler: {
    type: 'module',
    compilerOptions: { module: 'esnext', moduleResolution: 'bundler', lib: ['ES2022', 'DOM'], types: [] as string[] },
  },
};

export type Project = keyof typeof PROJECTS;

export const PROJECT_NAMES = Object.keys(PROJECTS) as Project[];

/** What the compiler says of the project in a folder; nothing when all is well. */
export async function compileProject(folder: string): Promise<string> {
  const compiler = join(process.cwd(), 'node_modules/typescript-7/bin/tsc');
  return run(process.execPath, [compiler, '-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

/** The package as `npm pack` makes it, in projects that use it. */
export class PackedClient {
  private constructor(
    private readonly folder: string,
    /** The files of the package, as paths in it. */
    readonly files: string[],
  ) {}

  static async pack(): Promise<PackedClient> {
    const folder = await mkdtemp(join(testRunFolder(), 'packed-client-'));
    await run(process.execPath, [join(PACKAGE, 'scripts/build.mjs')]);
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PACKAGE });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    const files = await unpack(join(folder, filename), join(folder, 'node_modules/@armature/client'));
    for (const [name, { type, compilerOptions }] of Object.entries(PROJECTS)) {
      const project = join(folder, name);
      await cp('test/clients', project, { recursive: true, filter: (path) => !path.endsWith('oazapfts.ts') });
      await writeFile(join(project, 'readme.ts'), await readmeProgram());
      await writeFile(join(project, 'package.json'), JSON.stringify({ type }));
      const options = { ...compilerOptions, strict: true, target: 'es2022', exactOptionalPropertyTypes: true };
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
    }
    await mkdir(join(folder, 'node_modules/@types'));
    for (const name of ['@types/node', 'undici-types'])
      await symlink(join(process.cwd(), 'node_modules', name), join(folder, 'node_modules', name));
    return new PackedClient(folder, files);
  }

  /** What the compiler says of a project, declarations of the package included. */
  compile(project: Project): Promise<string> {
    return compileProject(join(this.folder, project));
  }

  /** The program of a project, compiled before. */
  async load<Program>(project: Project): Promise<Program> {
    const file = join(this.folder, project, 'armature.js');
    if (project === 'CommonJS') return createRequire(import.meta.url)(file) as Program;
    return (await import(pathToFileURL(file).href)) as Program;
  }

  /** A file of the package. */
  path(file: string): string {
    return join(this.folder, 'node_modules/@armature/client', file);
  }
}

/** What the README shows, as one program. */
async function readmeProgram(): Promise<string> {
  const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
  const [first = '', ...blocks] = [...readme.matchAll(/```ts\n([^]*?)```/g)].map(([, block = '']) => block);
  const given = ['email', 'password', 'workspace_id', 'organization_id', 'connectionID'];
  const [imports = '', ...program] = first.split('\n\n');
  const body = [...program, ...blocks].join('\n');
  return `${imports}\nexport async function readme(${given.map((name) => `${name}: string`).join(', ')}) {\n${body}}\n`;
}

/** @returns the paths of the files, as they are in a package below `package/` */
async function unpack(archive: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  const entries = extract();
  entries.end(gunzipSync(await readFile(archive)));
  for await (const entry of entries) {
    const name = entry.header.name.replace(/^package\//, '');
    files.push(name);
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), await buffer(entry));
  }
  return files.sort();
}
