import { Global, Injectable, Module } from '@nestjs/common';
import { LargeBodyReader, type LargeBody } from '../core/rest/body/large-body.js';
import { FormatsModule } from './formats.module.js';
import { largeBodyTask } from './large-body-task.js';
import { WorkerPool } from '../core/workers/worker-pool.js';

/** Parses large request bodies in the worker lane for stored content, so that they do not wait behind imports. */
@Injectable()
class WorkerLargeBodyReader extends LargeBodyReader {
  constructor(private readonly pool: WorkerPool) {
    super();
  }

  parse(bytes: Uint8Array<ArrayBuffer>, options: { digest: boolean }): Promise<LargeBody> {
    return this.pool.run(largeBodyTask, { bytes, options }, { lane: 'own', transferList: [bytes.buffer] });
  }
}

@Global()
@Module({
  imports: [FormatsModule],
  providers: [{ provide: LargeBodyReader, useClass: WorkerLargeBodyReader }],
  exports: [LargeBodyReader],
})
export class LargeBodyModule {}
