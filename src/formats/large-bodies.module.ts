import { Global, Injectable, Module } from '@nestjs/common';
import { LargeBodies, type LargeBody } from '../core/rest/body/large-body.js';
import { largeBodyTask } from './large-body-task.js';
import { WorkerPool } from './worker-pool.js';

/** Reads bodies in the lane of own content, so that none waits behind an import. */
@Injectable()
class PooledLargeBodies extends LargeBodies {
  constructor(private readonly pool: WorkerPool) {
    super();
  }

  read(bytes: Uint8Array<ArrayBuffer>): Promise<LargeBody> {
    return this.pool.run(largeBodyTask, bytes, { lane: 'own', buffers: [bytes.buffer] });
  }
}

@Global()
@Module({ providers: [{ provide: LargeBodies, useClass: PooledLargeBodies }], exports: [LargeBodies] })
export class LargeBodiesModule {}
