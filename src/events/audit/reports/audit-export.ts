import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { contentDisposition } from '../../../core/rest/download.js';
import { RevisedResponse } from '../../../core/rest/revised-response.js';

/** Entries as lines of JSON, made while they are sent and never held. */
export class AuditExport extends RevisedResponse {
  constructor(
    readonly revision: string,
    private readonly name: string,
    private readonly batches: AsyncGenerator<string>,
  ) {
    super();
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
