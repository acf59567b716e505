import { Global, Injectable, Module } from '@nestjs/common';
import { LargeBodies, type LargeBody } from '../core/rest/body/large-body.js';
import { FormatsModule } from './formats.module.js';
import { largeBodyTask } from './large-body-task.js';
import { WorkerPool } from './worker-pool.js';

/** Reads bodies in the lane of own content, so that none waits behind an import. */
@Injectable()
class PooledLargeBodies extends LargeBodies {
  constructor(private readonly pool: WorkerPool) {
    super();
  }

  read(bytes: Uint8Array<ArrayBuffer>, wish: { digest: boolean }): Promise<LargeBody> {
    return this.pool.run(largeBodyTask, { bytes, wish }, { lane: 'own', buffers: [bytes.buffer] });
  }
}

@Global()
@Module({
  imports: [FormatsModule],
  providers: [{ provide: LargeBodies, useClass: PooledLargeBodies }],
  exports: [LargeBodies],
})
export class LargeBodiesModule {}
