import { IncomingMessage, ServerResponse } from 'node:http';

/** Headers that are the same on every answer. */
export type ConstantHeaders = readonly (readonly [name: string, value: string])[];

/** A response that may carry constant headers; those that it sets itself win. */
export interface ConstantHeadersResponse {
  constantHeaders: ConstantHeaders;
}

const NONE: ConstantHeaders = [];

interface ExpressMessages {
  request: object;
  response: object;
}

/**
 * The classes of the requests and responses of one server. They have from the beginning what Express gives to each of them when it
 * comes, for an object whose prototype changes is slow in all that is done with it afterwards.
 */
export class HttpMessages {
  readonly IncomingMessage: typeof IncomingMessage = class extends IncomingMessage {};

  readonly ServerResponse = class extends ServerResponse implements ConstantHeadersResponse {
    constantHeaders = NONE;

    /** Node.js calls this once for each answer, also where nobody else does. */
    override writeHead(...args: unknown[]): this {
      for (const [name, value] of this.constantHeaders) if (!this.hasHeader(name)) this.setHeader(name, value);
      return super.writeHead(...(args as [number]));
    }
  } as typeof ServerResponse;

  /** Lets an application of Express work with them. */
  shareWith(app: ExpressMessages): void {
    app.request = Object.setPrototypeOf(this.IncomingMessage.prototype, app.request) as object;
    app.response = Object.setPrototypeOf(this.ServerResponse.prototype, app.response) as object;
  }
}
