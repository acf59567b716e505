import { type FormatLimits } from '../limits.js';
import { type AskMainThread } from '../task.js';
import { Helm } from './helm.js';
import { Kustomize } from './kustomize.js';
import { packFiles, type PackedFiles } from './packed-files.js';
import { type ProgramRenderer } from './program.js';
import { type ProgramResult } from './program-runner.js';
import { type RenderEngines } from './programs.js';

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
