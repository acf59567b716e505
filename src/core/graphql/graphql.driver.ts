import { ApolloDriver } from '@nestjs/apollo';
import { Injectable } from '@nestjs/common';

/**
 * Apollo would drain the HTTP server when it is stopped: everything else would wait for that, jobs and the callers who wait for them included,
 * and after 10 s all connections would be cut. `HttpListener` drains the server, so that nothing is left to be stopped here.
 */
@Injectable()
export class GraphqlDriver extends ApolloDriver {
  override stop(): Promise<void> {
    return Promise.resolve();
  }
}
