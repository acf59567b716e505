import { IncomingMessage, ServerResponse } from 'node:http';

/** Headers of every response. */
export type ConstantHeaders = readonly (readonly [name: string, value: string])[];

/** A response with constant headers; headers that it sets itself take precedence. */
export interface ConstantHeadersResponse {
  constantHeaders: ConstantHeaders;
}

const NONE: ConstantHeaders = [];

interface ExpressMessages {
  request: object;
  response: object;
}

/**
 * The request and response classes of one server. `shareWith` replaces the prototypes of Express 5, which otherwise
 * replaces the prototype of each request and response, so that all later operations on it are slow. Constant headers
 * depend on it too: `writeHead` of Node.js is called once for each response. Not measured on its own.
 */
export class HttpMessages {
  /** Tokens of issuers have up to 64 KiB where their users are in a thousand groups. */
  readonly maxHeaderSize = 96 * 1024;

  readonly IncomingMessage: typeof IncomingMessage = class extends IncomingMessage {};

  readonly ServerResponse = class extends ServerResponse implements ConstantHeadersResponse {
    constantHeaders = NONE;

    /** Node.js calls this once for each response, also when no application code does. */
    override writeHead(...args: unknown[]): this {
      for (const [name, value] of this.constantHeaders) if (!this.hasHeader(name)) this.setHeader(name, value);
      return super.writeHead(...(args as [number]));
    }
  } as typeof ServerResponse;

  /** Makes an Express application use these classes. */
  shareWith(app: ExpressMessages): void {
    app.request = Object.setPrototypeOf(this.IncomingMessage.prototype, app.request) as object;
    app.response = Object.setPrototypeOf(this.ServerResponse.prototype, app.response) as object;
  }
}
