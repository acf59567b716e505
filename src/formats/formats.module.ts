import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Env } from '../core/config/env.js';
import { DocumentReader } from './document-reader.js';
import { defaultLimits, type FormatLimits } from './limits.js';
import { Programs } from './programs/programs.js';
import { SentFiles } from './sent-file.js';
import { WorkerPool } from './worker-pool.js';

/** Reading foreign files, within the limits that the operator set, in workers that all features share. */
@Global()
@Module({
  providers: [
    SentFiles,
    { provide: WorkerPool, useFactory: () => new WorkerPool() },
    {
      provide: DocumentReader,
      inject: [WorkerPool, Env],
      useFactory: (pool: WorkerPool, env: Env) => new DocumentReader(pool, limitsOf(env)),
    },
    {
      provide: Programs,
      inject: [Env],
      useFactory: (env: Env) => new Programs({ helm: env.HELM_BIN, kustomize: env.KUSTOMIZE_BIN }, limitsOf(env)),
    },
  ],
  exports: [DocumentReader, Programs, SentFiles, WorkerPool],
})
export class FormatsModule implements OnApplicationShutdown {
  constructor(
    private readonly pool: WorkerPool,
    private readonly programs: Programs,
  ) {}

  onApplicationShutdown(): Promise<void> {
    this.programs.close();
    return this.pool.close();
  }
}

function limitsOf(env: Env): FormatLimits {
  return {
    ...defaultLimits,
    textBytes: env.LIMIT_ARCHIVE_ENTRY_BYTES,
    depth: env.LIMIT_YAML_DEPTH,
    aliases: env.LIMIT_YAML_ALIASES,
    aliasBytes: env.LIMIT_YAML_EXPANDED_BYTES,
    archiveBytes: env.LIMIT_ARCHIVE_BYTES,
    archiveEntries: env.LIMIT_ARCHIVE_ENTRIES,
    entryBytes: env.LIMIT_ARCHIVE_ENTRY_BYTES,
  };
}
