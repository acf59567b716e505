import { type FormatLimits } from '../limits.js';
import { Helm } from './helm.js';
import { isKubectl, Kustomize } from './kustomize.js';
import { unpackedFiles } from './packed-files.js';
import { Program, type Renderer } from './program.js';
import { IsolationMissing, type IsolationMode } from './isolation.js';
import { type ProgramBounds, ProgramRunner, type Run } from './program-runner.js';
import { type ProgramQuestion } from './programs-elsewhere.js';

/** Where the operator says that the programs are; without a word they are looked for in PATH. */
export interface ProgramPaths {
  helm?: string | undefined;
  kustomize?: string | undefined;
}

/** How the programs are isolated from this machine. */
export interface IsolationSettings {
  mode?: IsolationMode | 'off';
  /** Hears of a program that runs only without the isolation which the system has. */
  exposed?: (path: string) => void;
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

  constructor(
    paths: ProgramPaths = {},
    limits?: FormatLimits,
    bounds: Partial<ProgramBounds> = {},
    { mode, exposed }: IsolationSettings = {},
  ) {
    this.runner = new ProgramRunner({ ...(limits ? { output: limits.textBytes } : {}), ...bounds }, mode);
    const helm = new Program(this.runner, {
      setting: paths.helm,
      exposed,
      names: ['helm'],
      probe: () => ['version', '--short'],
      remedy:
        'Install Helm 3.16 or later where the server runs (https://helm.sh/docs/intro/install), and put it into PATH or its path into HELM_BIN.',
    });
    const kustomize = new Program(this.runner, {
      setting: paths.kustomize,
      exposed,
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

  /** Whether the system lets programs run in namespaces of their own; asked once. @throws IsolationMissing when that is required and it does not */
  async isolated(): Promise<boolean> {
    const [best] = await this.runner.isolations();
    if (best) return best.works;
    throw new IsolationMissing();
  }

  /** Ends what is running. */
  close(): void {
    this.runner.close();
  }
}
