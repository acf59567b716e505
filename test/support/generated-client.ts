import { createClient } from '@hey-api/openapi-ts';
import { build } from 'esbuild';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { generateSource } from 'oazapfts';
import ts from 'typescript';

/** How each generator makes a client of an OpenAPI document; both name functions by the ids of operations. */
const GENERATORS = {
  'hey-api': async (document: string, folder: string): Promise<string> => {
    await createClient({
      input: document,
      output: path.join(folder, 'client'),
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
      logs: { level: 'silent', file: false },
    });
    return path.join(folder, 'client/sdk.gen.ts');
  },
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
  compile(): string[] {
    const program = ts.createProgram([this.program], {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: ['node'],
    });
    return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
      const text = ts.flattenDiagnosticMessageText(messageText, '\n');
      return file ? `${path.basename(file.fileName)}: ${text}` : text;
    });
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
