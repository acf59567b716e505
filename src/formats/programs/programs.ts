import { type FormatLimits } from '../limits.js';
import { Helm } from './helm.js';
import { isKubectl, Kustomize } from './kustomize.js';
import { unpackedFiles } from './packed-files.js';
import { Program, type Renderer } from './program.js';
import { type ProgramBounds, ProgramRunner, type Run } from './program-runner.js';
import { type ProgramQuestion } from './programs-elsewhere.js';

/** Where the operator says that the programs are; without a word they are looked for in PATH. */
export interface ProgramPaths {
  helm?: string | undefined;
  kustomize?: string | undefined;
}

/** For readers who were given none: as on a machine without any. */
export const noPrograms = (): Programs => new Programs({ helm: '', kustomize: '' });

/** The engines that formats render with. */
export interface Engines {
  readonly helm: Helm;
  readonly kustomize: Kustomize;
}

/** The foreign programs that this server renders with, all within the same bounds. */
export class Programs implements Engines {
  readonly helm: Helm;
  readonly kustomize: Kustomize;
  private readonly runner: ProgramRunner;
  private readonly programs: Record<keyof Engines, Renderer>;

  constructor(paths: ProgramPaths = {}, limits?: FormatLimits, bounds: Partial<ProgramBounds> = {}) {
    this.runner = new ProgramRunner({ ...(limits ? { output: limits.textBytes } : {}), ...bounds });
    const helm = new Program(this.runner, {
      setting: paths.helm,
      names: ['helm'],
      probe: () => ['version', '--short'],
      remedy:
        'Install Helm 3.16 or later where the server runs (https://helm.sh/docs/intro/install), and put it into PATH or its path into HELM_BIN.',
    });
    const kustomize = new Program(this.runner, {
      setting: paths.kustomize,
      names: ['kustomize', 'kubectl'],
      probe: (path) => (isKubectl(path) ? ['kustomize', '--help'] : ['version']),
      command: (path) => [isKubectl(path) ? 'kustomize' : 'build'],
      remedy:
        'Install kustomize 5 (https://kubectl.docs.kubernetes.io/installation/kustomize) or kubectl where the server runs, and put it into PATH or its path into KUSTOMIZE_BIN.',
    });
    this.programs = { helm, kustomize };
    this.helm = new Helm(helm, limits);
    this.kustomize = new Kustomize(kustomize);
  }

  /** Answers what an engine on another thread asks. */
  answer({ program, run }: ProgramQuestion): Promise<Run | boolean> {
    const asked = this.programs[program];
    return run ? asked.run(run.args, unpackedFiles(run.files), run.subject) : asked.available();
  }

  /** Ends what is running. */
  close(): void {
    this.runner.close();
  }
}
