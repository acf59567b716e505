import { StreamableFile } from '@nestjs/common';
import { RevisedResponse } from '../../core/rest/revised-response.js';

/** The version of the rendering: a new one invalidates all ETags of diagrams. */
const RENDERER_VERSION = 3;

/** The response with the diagram of a design, which is rendered only when the caller's ETag is not current. */
export class DiagramAnswer extends RevisedResponse {
  readonly revision: string;

  /** @param draw returns the SVG document */
  constructor(
    design: { revision: number | string; versionNumber: number },
    private readonly draw: () => Promise<string>,
  ) {
    super();
    this.revision = `${design.revision}.${design.versionNumber}.${RENDERER_VERSION}`;
  }

  override async openStream(): Promise<StreamableFile> {
    const bytes = Buffer.from(await this.draw());
    return new StreamableFile(bytes, { type: 'image/svg+xml', length: bytes.length });
  }
}
