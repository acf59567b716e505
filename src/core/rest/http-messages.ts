import { IncomingMessage, ServerResponse } from 'node:http';

/** Headers that are the same on every answer, written once as the text that goes out. */
export class ConstantHeaders {
  private readonly lines = new Map<string, string>();
  private readonly text: string;

  constructor(headers: Iterable<readonly [name: string, value: string]>) {
    for (const [name, value] of headers) this.lines.set(name.toLowerCase(), `${name}: ${value}\r\n`);
    this.text = [...this.lines.values()].join('');
  }

  /** The text without the headers that an answer sets itself, which are told by their names in lower case. */
  textBeside(own: readonly string[]): string {
    if (!own.some((name) => this.lines.has(name))) return this.text;
    return [...this.lines].map(([name, line]) => (own.includes(name) ? '' : line)).join('');
  }
}

/** A response that may carry constant headers; those that it sets itself win. */
export interface ConstantHeadersResponse {
  constantHeaders: ConstantHeaders | undefined;
}

/** What Node.js calls with the first line of a message and its headers, of which it makes the text that is sent. */
interface HeaderWriter {
  _storeHeader(firstLine: string, headers: unknown): void;
}

const nodeResponse = ServerResponse.prototype as unknown as HeaderWriter;

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

  readonly ServerResponse = class extends ServerResponse implements ConstantHeadersResponse, HeaderWriter {
    constantHeaders: ConstantHeaders | undefined = undefined;

    _storeHeader(firstLine: string, headers: unknown): void {
      const constant = this.constantHeaders?.textBeside(this.getHeaderNames()) ?? '';
      nodeResponse._storeHeader.call(this, firstLine + constant, headers);
    }
  } as typeof ServerResponse;

  /** Lets an application of Express work with them. */
  shareWith(app: ExpressMessages): void {
    app.request = Object.setPrototypeOf(this.IncomingMessage.prototype, app.request) as object;
    app.response = Object.setPrototypeOf(this.ServerResponse.prototype, app.response) as object;
  }
}
