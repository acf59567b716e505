import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { RevisedResponse } from './revised-response.js';

export interface StreamedListOptions {
  plural: string;
  /** Changes with the records: responses of one URL with the same revision are equal. */
  revision: string;
  /** The views, in batches. */
  batches: AsyncIterable<object[]>;
  /** Further members of the envelope besides `page`, `page_size` and `total_count`. */
  rest?: (total: number) => object;
}

/**
 * Streams a complete list without holding it in memory: `page` first, then the records, and their number at the end.
 * A controller returns it like a page; with a matching revision the response is 304 and nothing is read.
 */
export class StreamedList extends RevisedResponse {
  readonly revision: string;

  constructor(private readonly settings: StreamedListOptions) {
    super();
    this.revision = settings.revision;
  }

  /** Starts the stream; errors of the query are thrown with the first batch. */
  override async openStream(onTaken: () => void): Promise<StreamableFile> {
    const batches = this.settings.batches[Symbol.asyncIterator]();
    const first = await batches.next();
    return new StreamableFile(Readable.from(this.generateJson(first, batches, onTaken)), {
      type: 'application/json; charset=utf-8',
    });
  }

  private async *generateJson(
    first: IteratorResult<object[]>,
    batches: AsyncIterator<object[]>,
    onTaken: () => void,
  ): AsyncGenerator<string> {
    const { plural, rest } = this.settings;
    let total = 0;
    yield `{"page":0,"${plural}":[`;
    for (let next = first; !next.done; next = await batches.next()) {
      const separator = total === 0 || next.value.length === 0 ? '' : ',';
      total += next.value.length;
      yield separator + next.value.map((each) => JSON.stringify(each)).join(',');
      onTaken();
    }
    const end = JSON.stringify({ page_size: total, total_count: total, ...rest?.(total) });
    yield `],${end.slice(1)}`;
  }
}
