import { Global, Injectable, Module } from '@nestjs/common';

/** Whether this process is about to stop: it still serves, and is to be sent nothing new. */
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
