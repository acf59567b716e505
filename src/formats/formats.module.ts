import { Global, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Env } from '../core/config/env.js';
import { findExecutable } from '../core/find-executable.js';
import { Metrics } from '../core/telemetry/metrics.service.js';
import { DocumentReader } from './documents/document-reader.js';
import { DEFAULT_FORMAT_LIMITS } from './sources/format-limits.js';
import { LocalRenderEngines } from './engines/local-render-engines.js';
import { UploadedFiles } from './sources/uploaded-files.service.js';
import { registerPoolMetrics } from '../core/workers/pool-metrics.js';
import { WorkerPool } from '../core/workers/worker-pool.js';

const MB = 1024 * 1024;
const logger = new Logger('Programs');

/** Parsing of uploaded files, within the configured limits, in workers that all features share. */
@Global()
@Module({
  providers: [
    UploadedFiles,
    {
      provide: WorkerPool,
      inject: [Env],
      useFactory: (env: Env) =>
        new WorkerPool({
          memory: Math.floor(env.LIMIT_WORKER_BYTES / MB),
          totalMemory: Math.floor(env.LIMIT_WORKERS_BYTES / MB),
        }),
    },
    {
      provide: DocumentReader,
      inject: [WorkerPool],
      useFactory: (pool: WorkerPool) => new DocumentReader(pool),
    },
    {
      provide: LocalRenderEngines,
      inject: [Env, Metrics],
      useFactory: (env: Env, { programIsolation }: Metrics) => {
        const exposed = (path: string): void => {
          programIsolation.set(0);
          logger.warn(
            `${path} does not run in namespaces of its own, as the shim of a version manager; name the program itself`,
          );
        };
        const isolation = { mode: env.PROGRAM_ISOLATION, exposed };
        return new LocalRenderEngines(
          { helm: env.HELM_BIN, kustomize: env.KUSTOMIZE_BIN },
          DEFAULT_FORMAT_LIMITS,
          {},
          isolation,
        );
      },
    },
  ],
  exports: [DocumentReader, LocalRenderEngines, UploadedFiles, WorkerPool],
})
export class FormatsModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly pool: WorkerPool,
    private readonly programs: LocalRenderEngines,
    private readonly metrics: Metrics,
    private readonly env: Env,
  ) {}

  async onModuleInit(): Promise<void> {
    registerPoolMetrics(this.metrics.registry, this.pool);
    warnOfMissingPrograms(this.env);
    const isolated = await this.programs.checkIsolation();
    this.metrics.programIsolation.set(isolated ? 1 : 0);
    if (isolated) logger.debug('helm and kustomize run in namespaces of their own, without network');
    else
      logger.warn(
        'helm and kustomize cannot be isolated on this system: the check of their input is the only protection',
      );
  }

  onApplicationShutdown(): Promise<void> {
    this.programs.close();
    return this.pool.close();
  }
}

/** The programs in the settings, and what does not work without each. */
const PROGRAMS = {
  HELM_BIN: 'charts cannot be imported',
  KUSTOMIZE_BIN: 'Kustomizations cannot be imported',
  FORTIO_BIN: 'performance tests do without fortio',
  K6_BIN: 'performance tests do without k6',
} as const;

function warnOfMissingPrograms(env: Env): void {
  for (const [name, consequence] of Object.entries(PROGRAMS)) {
    const program = env[name as keyof typeof PROGRAMS];
    if (program !== undefined && findExecutable(program) === undefined)
      logger.warn(`${name} is ${program}, which is not an executable program: ${consequence}`);
  }
}
