import { Global, Injectable, Module } from '@nestjs/common';

/** Whether this process is about to stop: it still serves, and is to be sent nothing new. */
@Injectable()
export class Drain {
  private begun = false;

  get hasBegun(): boolean {
    return this.begun;
  }

  begin(): void {
    this.begun = true;
  }
}

@Global()
@Module({ providers: [Drain], exports: [Drain] })
export class LifecycleModule {}
