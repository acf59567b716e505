import { Global, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Env } from '../core/config/env.js';
import { Metrics } from '../core/telemetry/metrics.service.js';
import { DocumentReader } from './documents/document-reader.js';
import { DEFAULT_FORMAT_LIMITS, type FormatLimits } from './sources/format-limits.js';
import { LocalRenderEngines } from './engines/local-render-engines.js';
import { UploadedFiles } from './sources/uploaded-files.service.js';
import { WorkerPool } from '../core/workers/worker-pool.js';

const logger = new Logger('Programs');

/** Reading foreign files, within the limits that the operator set, in workers that all features share. */
@Global()
@Module({
  providers: [
    UploadedFiles,
    { provide: WorkerPool, useFactory: () => new WorkerPool() },
    {
      provide: DocumentReader,
      inject: [WorkerPool, Env],
      useFactory: (pool: WorkerPool, env: Env) => new DocumentReader(pool, limitsFromEnv(env)),
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
          limitsFromEnv(env),
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
  ) {}

  async onModuleInit(): Promise<void> {
    const isolated = await this.programs.checkIsolation();
    this.metrics.programIsolation.set(isolated ? 1 : 0);
    if (isolated) logger.log('helm and kustomize run in namespaces of their own, without network');
    else logger.warn('helm and kustomize cannot be isolated here: only what they are given to read protects');
  }

  onApplicationShutdown(): Promise<void> {
    this.programs.close();
    return this.pool.close();
  }
}

function limitsFromEnv(env: Env): FormatLimits {
  return {
    ...DEFAULT_FORMAT_LIMITS,
    textBytes: env.LIMIT_ARCHIVE_ENTRY_BYTES,
    depth: env.LIMIT_YAML_DEPTH,
    aliases: env.LIMIT_YAML_ALIASES,
    aliasBytes: env.LIMIT_YAML_EXPANDED_BYTES,
    archiveBytes: env.LIMIT_ARCHIVE_BYTES,
    archiveEntries: env.LIMIT_ARCHIVE_ENTRIES,
    entryBytes: env.LIMIT_ARCHIVE_ENTRY_BYTES,
  };
}
