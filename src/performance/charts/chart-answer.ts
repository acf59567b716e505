import { StreamableFile } from '@nestjs/common';
import { RevisedResponse } from '../../core/rest/revised-response.js';
import type { PerformanceRun } from '../runs/run.entity.js';

/** Counts the ways of drawing: a new one makes all pictures that callers have kept stale. */
const RENDERER_VERSION = 4;

/** A picture of results as an answer, drawn only for a caller who does not have it. */
export class ChartAnswer extends RevisedResponse {
  readonly revision: string;

  /** @param draw answers the SVG document */
  constructor(
    runs: readonly PerformanceRun[],
    private readonly draw: () => string,
  ) {
    super();
    this.revision = `${runs.map(({ revision }) => revision).join('.')}.${RENDERER_VERSION}`;
  }

  override openStream(): Promise<StreamableFile> {
    const bytes = Buffer.from(this.draw());
    return Promise.resolve(new StreamableFile(bytes, { type: 'image/svg+xml', length: bytes.length }));
  }
}
