/** A program of this server that runs in a separate thread or process, and the Node.js options that load it. */
export interface Program {
  url: URL;
  execArgv: string[];
}

/** Compiles TypeScript sources on load; used when the server runs from sources, as in tests. */
const LOADER = new URL('../../scripts/typescript/register.mjs', import.meta.url).href;

/** Locates a program in the same folder as a module. @param module the `import.meta.url` of that module */
export function programBeside(module: string, name: string): Program {
  if (!module.endsWith('.ts')) return { url: new URL(`./${name}.js`, module), execArgv: [] };
  return { url: new URL(`./${name}.ts`, module), execArgv: ['--import', LOADER, '--no-warnings'] };
}
