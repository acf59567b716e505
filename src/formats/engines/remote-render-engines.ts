import { type FormatLimits } from '../sources/format-limits.js';
import { type AskMainThread } from '../../core/workers/task.js';
import { Helm } from '../helm/helm.js';
import { Kustomize } from '../kustomize/kustomize.js';
import { packFiles, type PackedFiles } from '../programs/packed-files.js';
import { type ProgramRenderer } from '../programs/program.js';
import { type ProgramResult } from '../programs/program-runner.js';
import { type RenderEngines } from './local-render-engines.js';

/** What an engine in a worker asks of the Programs on the main thread: to run a program, or whether it is there. */
export interface ProgramQuestion {
  program: keyof RenderEngines;
  run?: { args: readonly string[]; files: PackedFiles; subject: string };
}

/** Engines for a task in a worker: they prepare and read there, while the programs themselves are run, bounded and ended by the main thread. */
export function createRemoteRenderEngines(ask: AskMainThread, limits: FormatLimits): RenderEngines {
  const over = (program: keyof RenderEngines): ProgramRenderer => ({
    isAvailable: async () => (await ask({ program } satisfies ProgramQuestion)) as boolean,
    run: async (args, given, subject) => {
      const files = packFiles(given);
      const question: ProgramQuestion = { program, run: { args, files, subject } };
      return (await ask(question, [files.bytes.buffer])) as ProgramResult;
    },
  });
  return { helm: new Helm(over('helm'), limits), kustomize: new Kustomize(over('kustomize')) };
}
