/** A program of this server that runs in a separate thread or process, and the Node.js options that load it. */
export interface Program {
  url: URL;
  execArgv: string[];
}

/** Compiles what is loaded from the sources, as tests do. */
const LOADER = new URL('../../scripts/typescript/register.mjs', import.meta.url).href;

/** @param module the `import.meta.url` of the module beside which the program is */
export function programBeside(module: string, name: string): Program {
  if (!module.endsWith('.ts')) return { url: new URL(`./${name}.js`, module), execArgv: [] };
  return { url: new URL(`./${name}.ts`, module), execArgv: ['--import', LOADER, '--no-warnings'] };
}
