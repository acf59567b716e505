import type { FormatLimits } from '../sources/format-limits.js';
import type { AskMainThread } from '../../core/workers/task.js';
import { Helm } from '../helm/helm.js';
import { Kustomize } from '../kustomize/kustomize.js';
import type { ChartQuestion } from '../helm/chart-api.js';
import type { ChartProgram, ChartResult } from '../helm/helm.js';

/** The engines that formats render with. */
export interface RenderEngines {
  readonly helm: Helm;
  readonly kustomize: Kustomize;
}

/** The questions of an engine in a worker to the Programs on the main thread: to run a program, or for its version. */
export interface ProgramQuestion {
  program: keyof RenderEngines;
  run?: {
    args: readonly string[];
    files: PackedFiles;
    subject: string;
    /** What a chart needs of the cluster that it is rendered for. */
    chart?: ChartQuestion;
  };
}

/** Engines for a task in a worker: they prepare and read there, while the main thread runs, limits and ends the programs. */
export function createRemoteRenderEngines(ask: AskMainThread, limits: FormatLimits): RenderEngines {
  const over = (program: keyof RenderEngines): ChartProgram => ({
    findVersion: async () => (await ask({ program } satisfies ProgramQuestion)) as string | undefined,
    run: async ({ args, files: given = new Map(), subject, chart }) => {
      const files = packFiles(given);
      const question: ProgramQuestion = { program, run: { args, files, subject, chart } };
      return (await ask(question, [files.bytes.buffer])) as ChartResult;
    },
  });
  return { helm: new Helm(over('helm'), limits), kustomize: new Kustomize(over('kustomize')) };
}

/** Files by path in one buffer, which is transferred to another thread as a whole. */
export interface PackedFiles {
  paths: string[];
  /** The end offset of each file. */
  ends: number[];
  bytes: Uint8Array<ArrayBuffer>;
}

export function packFiles(files: ReadonlyMap<string, Uint8Array>): PackedFiles {
  const ends: number[] = [];
  let size = 0;
  for (const { length } of files.values()) ends.push((size += length));
  const bytes = new Uint8Array(size);
  for (const [index, file] of [...files.values()].entries()) bytes.set(file, (ends[index] ?? 0) - file.length);
  return { paths: [...files.keys()], ends, bytes };
}

export function unpackFiles({ paths, ends, bytes }: PackedFiles): Map<string, Uint8Array> {
  return new Map(paths.map((path, index) => [path, bytes.subarray(ends[index - 1] ?? 0, ends[index])]));
}
