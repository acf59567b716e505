import { ApolloDriver } from '@nestjs/apollo';
import { Injectable } from '@nestjs/common';

/**
 * Disables Apollo's drain of the HTTP server. It would delay every other step of the shutdown, including jobs and
 * the requests that wait for them, and close all connections after 10 s. `HttpListener` drains the server instead.
 */
@Injectable()
export class GraphqlDriver extends ApolloDriver {
  override stop(): Promise<void> {
    return Promise.resolve();
  }
}
