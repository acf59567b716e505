import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Fault } from '../core/errors/app-error.js';
import { type Envelope, envelope, type Page } from '../core/listing/page.js';
import type { Design } from './design.entity.js';
import { DesignView, type Populated } from './design.view.js';
import type { Written } from './design-writer.service.js';
import { DesignContents } from './versions/design-contents.js';

/** Shows designs with as much of their content as was asked for. */
@Injectable()
export class DesignPresenter {
  constructor(private readonly contents: DesignContents) {}

  async page(page: Page<Design>, populate?: string): Promise<Envelope> {
    return envelope({ ...page, items: await this.shown(page, populate) }, 'patterns', (view) => view);
  }

  /** The designs of a page, without its envelope. */
  async shown({ items }: Page<Design>, populate?: string): Promise<DesignView[]> {
    const wanted = (populate ?? '').split(',');
    const views: DesignView[] = [];
    for (const design of items) views.push(DesignView.of(design, await this.populated(design, wanted)));
    return views;
  }

  async pageOfWorkspace(page: Page<Design>, populate?: string): Promise<Envelope> {
    const shown = (await this.page(page, populate)) as Envelope & { patterns: DesignView[] };
    return Object.assign(shown, { designs: shown.patterns });
  }

  /** One design always comes with its file. */
  async whole(design: Design, populate?: string): Promise<DesignView> {
    return DesignView.of(design, await this.populated(design, ['pattern_file', ...(populate ?? '').split(',')]));
  }

  /** 201 for what was made, 200 for what was changed or only read; with the warnings of the source. */
  async written(
    { design, warnings, saved, file }: Written,
    response: Response,
  ): Promise<DesignView & { warnings: Fault[] }> {
    if (!saved) response.status(200);
    const patternFile = file ? await this.contents.write(file) : await this.contents.readText(design);
    const view = DesignView.of(design, { patternFile });
    return Object.assign(view, { warnings, ...(saved ? {} : { id: null, created_at: null, updated_at: null }) });
  }

  private async populated(design: Design, wanted: string[]): Promise<Populated> {
    return {
      ...(wanted.includes('pattern_file') ? { patternFile: await this.contents.readText(design) } : {}),
      ...(wanted.includes('source_content') ? { source: await this.contents.readSource(design) } : {}),
    };
  }
}
