import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Fault } from '../core/errors/app-error.js';
import { type Envelope, envelope, type Page } from '../core/listing/page.js';
import type { Design } from './design.entity.js';
import { DesignView } from './design.view.js';
import type { Written } from './design-writer.service.js';
import { DesignContents } from './versions/design-contents.js';
import { ShownContents } from './versions/shown-contents.js';

/** Shows designs with as much of their content as was asked for. */
@Injectable()
export class DesignPresenter {
  constructor(
    private readonly contents: DesignContents,
    private readonly shownContents: ShownContents,
  ) {}

  async page(page: Page<Design>, populate?: string): Promise<Envelope> {
    return envelope({ ...page, items: await this.shown(page.items, populate) }, 'patterns', (view) => view);
  }

  /** Designs with the contents that are asked for, within what one answer may carry. */
  async shown(designs: readonly Design[], populate = ''): Promise<DesignView[]> {
    const wanted = populate.split(',');
    const texts = wanted.includes('pattern_file') ? await this.shownContents.texts(designs) : undefined;
    const sources = wanted.includes('source_content') ? await this.shownContents.sources(designs) : undefined;
    return designs.map((design) =>
      DesignView.of(design, { patternFile: texts?.get(design.id), source: sources?.get(design.id) }),
    );
  }

  async pageOfWorkspace(page: Page<Design>, populate?: string): Promise<Envelope> {
    const shown = (await this.page(page, populate)) as Envelope & { patterns: DesignView[] };
    return Object.assign(shown, { designs: shown.patterns });
  }

  /** One design always comes with its file. */
  async whole(design: Design, populate = ''): Promise<DesignView> {
    const [view] = await this.shown([design], `pattern_file,${populate}`);
    return view as DesignView;
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
}
