import { type FormatLimits } from '../sources/format-limits.js';
import { ChartApi, type ChartCluster } from '../helm/chart-api.js';
import { type ChartInput, type ChartProgram, type ChartResult, Helm } from '../helm/helm.js';
import { isKubectl, Kustomize } from '../kustomize/kustomize.js';
import { unpackFiles } from './render-engines.js';
import { Program } from '../programs/program.js';
import { IsolationMissing, type IsolationMode } from '../programs/isolation.js';
import { type ProgramBounds, ProgramRunner } from '../programs/program-runner.js';
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
  private readonly programs: Record<keyof RenderEngines, Program>;

  constructor(
    paths: ProgramPaths = {},
    private readonly limits?: FormatLimits,
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

  /** Engines whose charts are rendered for a cluster. */
  forCluster(cluster: ChartCluster): RenderEngines {
    const { helm } = this.programs;
    const program: ChartProgram = {
      findVersion: () => helm.findVersion(),
      run: (input) => runForCluster(helm, input, cluster),
    };
    return { helm: new Helm(program, this.limits), kustomize: this.kustomize };
  }

  /**
   * Answers the questions of an engine on another thread.
   * @param cluster the one that charts are rendered for
   */
  answerQuestion({ program, run }: ProgramQuestion, cluster?: ChartCluster): Promise<ChartResult | string | undefined> {
    const asked = this.programs[program];
    if (!run) return asked.findVersion();
    const input = { ...run, files: unpackFiles(run.files) };
    return cluster ? runForCluster(asked, input, cluster) : asked.run(input);
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

/** Only charts that ask for the cluster are given it. */
async function runForCluster(program: Program, input: ChartInput, cluster: ChartCluster): Promise<ChartResult> {
  if (!input.chart) return program.run(input);
  const api = new ChartApi(cluster, input.chart);
  const result = await program.run({ ...input, api: api.handle });
  return { ...result, report: api.report };
}
