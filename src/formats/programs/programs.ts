import { type FormatLimits } from '../limits.js';
import { Helm } from './helm.js';
import { isKubectl, Kustomize } from './kustomize.js';
import { Program } from './program.js';
import { type ProgramBounds, ProgramRunner } from './program-runner.js';

/** Where the operator says that the programs are; without a word they are looked for in PATH. */
export interface ProgramPaths {
  helm?: string | undefined;
  kustomize?: string | undefined;
}

/** For readers who were given none: as on a machine without any. */
export const noPrograms = (): Programs => new Programs({ helm: '', kustomize: '' });

/** The foreign programs that this server renders with, all within the same bounds. */
export class Programs {
  readonly helm: Helm;
  readonly kustomize: Kustomize;
  private readonly runner: ProgramRunner;

  constructor(paths: ProgramPaths = {}, limits?: FormatLimits, bounds: Partial<ProgramBounds> = {}) {
    this.runner = new ProgramRunner({ ...(limits ? { output: limits.textBytes } : {}), ...bounds });
    this.helm = new Helm(
      new Program(this.runner, {
        setting: paths.helm,
        names: ['helm'],
        probe: () => ['version', '--short'],
        remedy:
          'Install Helm 3.16 or later where the server runs (https://helm.sh/docs/intro/install), and put it into PATH or its path into HELM_BIN.',
      }),
      limits,
    );
    this.kustomize = new Kustomize(
      new Program(this.runner, {
        setting: paths.kustomize,
        names: ['kustomize', 'kubectl'],
        probe: (path) => (isKubectl(path) ? ['kustomize', '--help'] : ['version']),
        remedy:
          'Install kustomize 5 (https://kubectl.docs.kubernetes.io/installation/kustomize) or kubectl where the server runs, and put it into PATH or its path into KUSTOMIZE_BIN.',
      }),
    );
  }

  /** Ends what is running. */
  close(): void {
    this.runner.close();
  }
}
