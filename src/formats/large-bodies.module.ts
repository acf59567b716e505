import { Global, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { LargeBodies, type LargeBody } from '../core/rest/body/large-body.js';
import { largeBodyTask } from './large-body-task.js';
import { WorkerPool } from './worker-pool.js';

/** Has workers of its own, so that no body waits behind an import. */
@Injectable()
class PooledLargeBodies extends LargeBodies implements OnApplicationShutdown {
  private readonly pool = new WorkerPool({ size: 1, memory: 512 });

  read(bytes: Uint8Array<ArrayBuffer>, wish: { digest: boolean }): Promise<LargeBody> {
    return this.pool.run(largeBodyTask, { bytes, wish }, { buffers: [bytes.buffer] });
  }

  onApplicationShutdown(): Promise<void> {
    return this.pool.close();
  }
}

@Global()
@Module({ providers: [{ provide: LargeBodies, useClass: PooledLargeBodies }], exports: [LargeBodies] })
export class LargeBodiesModule {}
