import { type FormatLimits } from '../limits.js';
import { type Ask } from '../task.js';
import { Helm } from './helm.js';
import { Kustomize } from './kustomize.js';
import { packedFiles, type PackedFiles } from './packed-files.js';
import { type Renderer } from './program.js';
import { type Run } from './program-runner.js';
import { type Engines } from './programs.js';

/** What an engine in a worker asks of the Programs on the main thread: to run a program, or whether it is there. */
export interface ProgramQuestion {
  program: keyof Engines;
  run?: { args: readonly string[]; files: PackedFiles; subject: string };
}

/** Engines for a task in a worker: they prepare and read there, while the programs themselves are run, bounded and ended by the main thread. */
export function enginesOver(ask: Ask, limits: FormatLimits): Engines {
  const over = (program: keyof Engines): Renderer => ({
    available: async () => (await ask({ program } satisfies ProgramQuestion)) as boolean,
    run: async (args, given, subject) => {
      const files = packedFiles(given);
      const question: ProgramQuestion = { program, run: { args, files, subject } };
      return (await ask(question, [files.bytes.buffer])) as Run;
    },
  });
  return { helm: new Helm(over('helm'), limits), kustomize: new Kustomize(over('kustomize')) };
}
