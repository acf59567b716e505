import { type FormatLimits } from '../sources/format-limits.js';
import { Helm } from '../helm/helm.js';
import { isKubectl, Kustomize } from '../kustomize/kustomize.js';
import { unpackFiles } from './render-engines.js';
import { Program, type ProgramRenderer } from '../programs/program.js';
import { IsolationMissing, type IsolationMode } from '../programs/isolation.js';
import { type ProgramBounds, ProgramRunner, type ProgramResult } from '../programs/program-runner.js';
import { type ProgramQuestion, type RenderEngines } from './render-engines.js';

/** The configured paths of the programs; by default they are looked up in PATH. */
export interface ProgramPaths {
  helm?: string | undefined;
  kustomize?: string | undefined;
}

/** How the programs are isolated from this machine. */
export interface IsolationOptions {
  mode?: IsolationMode | 'off';
  /** Called for a program that runs only without the isolation that the system supports. */
  onExposed?: (path: string) => void;
}

/** The default for readers: as on a machine without any program. */
export const createMissingRenderEngines = (): LocalRenderEngines => new LocalRenderEngines({ helm: '', kustomize: '' });

/** The external programs that this server renders with, all within the same limits. */
export class LocalRenderEngines implements RenderEngines {
  readonly helm: Helm;
  readonly kustomize: Kustomize;
  private readonly runner: ProgramRunner;
  private readonly programs: Record<keyof RenderEngines, ProgramRenderer>;

  constructor(
    paths: ProgramPaths = {},
    limits?: FormatLimits,
    bounds: Partial<ProgramBounds> = {},
    { mode, onExposed: exposed }: IsolationOptions = {},
  ) {
    this.runner = new ProgramRunner({ ...(limits ? { output: limits.textBytes } : {}), ...bounds }, mode);
    const helm = new Program(this.runner, {
      setting: paths.helm,
      onExposed: exposed,
      names: ['helm'],
      probe: () => ['version', '--short'],
      remedy:
        'Install Helm 3.16 or later where the server runs (https://helm.sh/docs/intro/install), and put it into PATH or its path into HELM_BIN.',
    });
    const kustomize = new Program(this.runner, {
      setting: paths.kustomize,
      onExposed: exposed,
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

  /** Answers the questions of an engine on another thread. */
  answerQuestion({ program, run }: ProgramQuestion): Promise<ProgramResult | boolean> {
    const asked = this.programs[program];
    return run ? asked.run(run.args, unpackFiles(run.files), run.subject) : asked.isAvailable();
  }

  /** Whether the system supports running programs in separate namespaces; checked once. @throws IsolationMissing when that is required and unsupported */
  async checkIsolation(): Promise<boolean> {
    const [best] = await this.runner.isolations();
    if (best) return best.isIsolated;
    throw new IsolationMissing();
  }

  /** Ends the running processes. */
  close(): void {
    this.runner.close();
  }
}
