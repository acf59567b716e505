import { build } from 'esbuild';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { generateSource } from 'oazapfts';
import { compileProject } from './packed-client.js';

/** How a generator makes a client of an OpenAPI document; it names functions by the ids of operations. */
const GENERATORS = {
  oazapfts: async (document: string, folder: string): Promise<string> => {
    const file = path.join(folder, 'client.ts');
    await writeFile(file, await generateSource(document));
    return file;
  },
};

export type Generator = keyof typeof GENERATORS;

export const GENERATOR_NAMES = Object.keys(GENERATORS) as Generator[];

/** A client that a generator made, beside the program of `test/clients` that uses it. */
export class GeneratedClient {
  private constructor(
    private readonly folder: string,
    private readonly program: string,
    /** The file with a function for every operation. */
    readonly functionsFile: string,
  ) {}

  static async generate(generator: Generator, openapi: string): Promise<GeneratedClient> {
    const folder = await mkdtemp(path.join(tmpdir(), 'armature-client-'));
    const document = path.join(folder, 'openapi.json');
    await writeFile(document, openapi);
    await cp('test/clients', folder, { recursive: true });
    await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'));
    const functionsFile = await GENERATORS[generator](document, folder);
    return new GeneratedClient(folder, path.join(folder, `${generator}.ts`), functionsFile);
  }

  /** What the compiler says of the client and of the program that uses it. */
  async compile(): Promise<string> {
    const options = {
      strict: true,
      noEmit: true,
      target: 'es2023',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: ['node'],
    };
    await writeFile(
      path.join(this.folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: [this.program] }),
    );
    return compileProject(this.folder);
  }

  async load<Program>(): Promise<Program> {
    const outfile = path.join(this.folder, 'program.mjs');
    await build({
      entryPoints: [this.program],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
    return (await import(pathToFileURL(outfile).href)) as Program;
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }
}
