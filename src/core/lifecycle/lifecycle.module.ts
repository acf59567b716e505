import { Global, Injectable, Module } from '@nestjs/common';

/** Whether this process is shutting down: it still serves requests, but load balancers should send no new ones. */
@Injectable()
export class DrainState {
  private begun = false;

  get hasBegun(): boolean {
    return this.begun;
  }

  begin(): void {
    this.begun = true;
  }
}

@Global()
@Module({ providers: [DrainState], exports: [DrainState] })
export class LifecycleModule {}
