// Lets Node load what is written in TypeScript.
import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSource, ROOT } from './compiler.mjs';

/** The libraries of this repository, by the names that programs import. */
const LIBRARIES = { '@armature/client': new URL('../../clients/typescript/src/index.ts', import.meta.url).href };

/** A module is imported by the name that it has when it is built, with `.js`. */
export function resolve(specifier, context, next) {
  const { parentURL } = context;
  if (Object.hasOwn(LIBRARIES, specifier)) return { url: LIBRARIES[specifier], format: 'module', shortCircuit: true };
  if (/^\.\.?\/.*\.js$/.test(specifier) && parentURL && !parentURL.includes('/node_modules/')) {
    const source = new URL(`${specifier.slice(0, -'js'.length)}ts`, parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export function load(url, context, next) {
  const path = url.startsWith('file:') ? fileURLToPath(url) : undefined;
  if (!path?.startsWith(ROOT + sep) || !/\.m?ts$/.test(path) || path.includes('/node_modules/'))
    return next(url, context);
  return { source: loadSource(path), format: 'module', shortCircuit: true };
}
