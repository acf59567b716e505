import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import {
  currentRequest,
  generateRequestId,
  type RequestContext,
  runInRequestContext,
} from '../telemetry/request-context.js';
import { contentDisposition } from './download.js';
import { RevisedResponse } from './revised-response.js';

/** Streams records as newline-delimited JSON: the next batch is read after the client has received the last one. */
export class NdjsonDownload extends RevisedResponse {
  private readonly batches: AsyncGenerator<string>;

  /**
   * @param context the request context for reading the batches, which continues after the handler has returned;
   * the caller's by default
   */
  constructor(
    readonly revision: string,
    private readonly name: string,
    batches: AsyncGenerator<string>,
    context: RequestContext = currentRequest() ?? { requestId: generateRequestId() },
  ) {
    super();
    this.batches = readInContext(batches, context);
  }

  /** Starts the stream; errors of the query are thrown with the first line. */
  override async openStream(onTaken: () => void): Promise<StreamableFile> {
    const first = await this.batches.next();
    return new StreamableFile(Readable.from(this.generate(first, onTaken)), {
      type: 'application/x-ndjson; charset=utf-8',
      disposition: contentDisposition(this.name),
    });
  }

  private async *generate(first: IteratorResult<string>, onTaken: () => void): AsyncGenerator<string> {
    for (let next = first; !next.done; next = await this.batches.next()) {
      yield next.value;
      onTaken();
    }
  }
}

/** Serializes a record as one line. */
export const toLine = (value: object): string => `${JSON.stringify(value)}\n`;

async function* readInContext(batches: AsyncGenerator<string>, context: RequestContext): AsyncGenerator<string> {
  try {
    for (;;) {
      const next = await runInRequestContext(context, () => batches.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await batches.return(undefined);
  }
}
