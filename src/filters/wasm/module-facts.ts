import { createHash } from 'node:crypto';
import { InvalidRequest } from '../../core/errors/app-error.js';
import {} from '../../core/workers/worker-pool.js';
import { defineTask, type Task } from '../../core/workers/task.js';
import { findFormatFault } from './module-format.js';

/** The facts that a module contains about itself. Only the first names are kept; the counts include all of them. */
export interface ModuleFacts {
  /** The version of the proxy-wasm ABI, such as 0.2.1; null when the module is not a proxy-wasm plugin. */
  abi: string | null;
  exports: string[];
  /** The imports, as `module.name`. */
  imports: string[];
  exports_count: number;
  imports_count: number;
}

export interface ModuleInput {
  bytes: Uint8Array;
  /** JSON Pointer to the field of the request, for errors. */
  pointer: string;
}

const MAX_LISTED = 200;
const MAX_NAME_LENGTH = 200;
const MAX_REASON_LENGTH = 500;
const ABI_EXPORT = /^proxy_abi_version_(\d+(?:_\d+)*)$/;

/** A valid module. */
export interface ValidatedModule {
  facts: ModuleFacts;
  /** `sha256:` and hex digits. */
  digest: string;
}

/** `validateModule` as a task of the worker pool. */
export const validateModuleTask: Task<ModuleInput, ValidatedModule> = defineTask(import.meta.url, { validateModule });

/** @throws InvalidRequest as readModuleFacts does */
export function validateModule(sent: ModuleInput): ValidatedModule {
  return { facts: readModuleFacts(sent), digest: `sha256:${createHash('sha256').update(sent.bytes).digest('hex')}` };
}

/**
 * Compiles a module, without executing it, and reads its facts.
 * @throws InvalidRequest when it is not a valid core module of WebAssembly
 */
export function readModuleFacts({ bytes, pointer }: ModuleInput): ModuleFacts {
  const fault = findFormatFault(bytes);
  if (fault) throw invalidModule(pointer, fault.detail, fault.remedy);
  const module = compileModule(bytes, pointer);
  const exported = WebAssembly.Module.exports(module).map(({ name }) => name);
  const imported = WebAssembly.Module.imports(module).map((each) => `${each.module}.${each.name}`);
  const version = exported.map((name) => ABI_EXPORT.exec(name)?.[1]).find((found) => found !== undefined);
  return {
    abi: version?.replaceAll('_', '.').slice(0, MAX_NAME_LENGTH) ?? null,
    exports: exported.slice(0, MAX_LISTED).map((name) => toLegibleName(name)),
    imports: imported.slice(0, MAX_LISTED).map((name) => toLegibleName(name)),
    exports_count: exported.length,
    imports_count: imported.length,
  };
}

function compileModule(bytes: Uint8Array, pointer: string): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes);
  } catch (error) {
    if (!(error instanceof WebAssembly.CompileError)) throw error;
    const [, reason = error.message, at] =
      /^(?:WebAssembly\.Module\(\): )?(.*?)(?: @\+(\d+))?$/s.exec(error.message) ?? [];
    const where = at === undefined ? '' : `, at byte ${at}`;
    const remedy = 'Build it again, or send it again if it was cut off on its way.';
    throw invalidModule(
      pointer,
      `is not valid WebAssembly: ${toLegibleName(reason, MAX_REASON_LENGTH)}${where}`,
      remedy,
    );
  }
}

function invalidModule(pointer: string, detail: string, remedy: string): InvalidRequest {
  return new InvalidRequest(`${pointer.replace(/^\//, '')} ${detail}`, {
    errors: [{ pointer, detail, remedy }],
    remedy,
  });
}

/** Shortens a name and replaces NUL, which PostgreSQL cannot store: names in modules are arbitrary text. */
function toLegibleName(name: string, longest = MAX_NAME_LENGTH): string {
  return [...name].slice(0, longest).join('').replaceAll('\0', '\ufffd');
}
