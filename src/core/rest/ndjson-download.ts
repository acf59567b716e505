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

/** Records as lines of JSON, made while they are sent and never held: the next batch is read once the last one is taken. */
export class NdjsonDownload extends RevisedResponse {
  private readonly batches: AsyncGenerator<string>;

  /** @param context in whose name the batches are read, which happens when the call is over that asked for them; by default the caller's */
  constructor(
    readonly revision: string,
    private readonly name: string,
    batches: AsyncGenerator<string>,
    context: RequestContext = currentRequest() ?? { requestId: generateRequestId() },
  ) {
    super();
    this.batches = readInContext(batches, context);
  }

  /** Begins: what is wrong with the question shows with the first line. */
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

/** One record as a line. */
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
