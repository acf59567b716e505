import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { AppError } from '../../core/errors/app-error.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import type { Design } from '../design.entity.js';
import { DesignsService } from '../designs.service.js';
import type { PackedContent } from '../contents/packed-content.js';
import type { DesignPictures } from '../design-pictures.js';
import { DesignContentsStore } from '../contents/design-contents.store.js';
import type { DiagramMarks } from './diagram.js';
import { DiagramAnswer } from './diagram-answer.js';
import { type DiagramOptions, diagramTask } from './render-diagram.js';

/** Renders designs. */
@Injectable()
export class DesignDiagramsService implements DesignPictures {
  constructor(
    private readonly designs: DesignsService,
    private readonly contents: DesignContentsStore,
    private readonly pool: WorkerPool,
  ) {}

  /** @throws NotFound when there is no such design that the actor may see */
  async diagram(actor: Actor, id: string, options: DiagramOptions): Promise<DiagramAnswer> {
    const design = await this.designs.get(actor, id);
    return new DiagramAnswer(design, () => this.draw(design, options));
  }

  /**
   * Renders a version of a design with the status of its components. If the whole diagram takes too much time or memory, the
   * summary is rendered.
   */
  async draw(
    design: Pick<Design, 'id' | 'versionNumber' | 'name' | 'organizationId'>,
    options: DiagramOptions & { marks?: DiagramMarks },
  ): Promise<string> {
    return this.render(await this.contents.readPacked(design), design.name, options);
  }

  drawContent(content: PackedContent, title: string): Promise<string | null> {
    return this.render(content, title, { theme: 'light', hide: [], depth: 1 }).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'TOO_COSTLY') throw error;
      return null;
    });
  }

  private render(
    content: PackedContent,
    title: string,
    options: DiagramOptions & { marks?: DiagramMarks },
  ): Promise<string> {
    const input = { content, title, ...options };
    return this.pool.run(diagramTask, { ...input, onlySummary: false }, { lane: 'own' }).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'TOO_COSTLY') throw error;
      return this.pool.run(diagramTask, { ...input, onlySummary: true }, { lane: 'own' });
    });
  }
}
