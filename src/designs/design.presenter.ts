import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Fault } from '../core/errors/app-error.js';
import { type PageEnvelope, toPageEnvelope, type Page } from '../core/listing/page.js';
import type { Design } from './design.entity.js';
import { DesignPictures } from './design-pictures.js';
import { packContent } from './contents/packed-content.js';
import { DesignView, WrittenDesignView } from './design.view.js';
import type { PackedDesign } from '../formats/design-file/packed-design.js';
import { DesignContentsStore } from './contents/design-contents.store.js';
import { DesignContentsLoader } from './contents/design-contents.loader.js';

/** A design that was written, and the warnings about its source. */
export interface DesignWriteResult {
  design: Design;
  warnings: Fault[];
  /** `parsed` when the caller only requested a preview. */
  outcome: 'created' | 'changed' | 'parsed';
  /** The new content; null when the content is unchanged. */
  file: PackedDesign | null;
  /** Its workspace would be created with it. */
  isProposed?: boolean;
}

/** Presents designs with the requested content. */
@Injectable()
export class DesignPresenter {
  constructor(
    private readonly contents: DesignContentsStore,
    private readonly shownContents: DesignContentsLoader,
    private readonly pictures: DesignPictures,
  ) {}

  async toEnvelope(page: Page<Design>, populate?: string): Promise<PageEnvelope> {
    return toPageEnvelope({ ...page, items: await this.toViews(page.items, populate) }, 'patterns', (view) => view);
  }

  /** Converts designs to views with the requested contents, within the size limit of one response. */
  async toViews(designs: readonly Design[], populate = ''): Promise<DesignView[]> {
    const wanted = populate.split(',');
    const texts = wanted.includes('pattern_file') ? await this.shownContents.loadTexts(designs) : undefined;
    const sources = wanted.includes('source_content') ? await this.shownContents.loadSources(designs) : undefined;
    return designs.map((design) =>
      DesignView.fromEntity(design, { patternFile: texts?.get(design.id), source: sources?.get(design.id) }),
    );
  }

  async toWorkspaceEnvelope(page: Page<Design>, populate?: string): Promise<PageEnvelope> {
    const shown = (await this.toEnvelope(page, populate)) as PageEnvelope & { patterns: DesignView[] };
    return Object.assign(shown, { designs: shown.patterns });
  }

  /** The view of a single design always contains its file. */
  async toDetailView(design: Design, populate = ''): Promise<DesignView> {
    const [view] = await this.toViews([design], `pattern_file,${populate}`);
    return view as DesignView;
  }

  /** Responds with 201 for a new design, 200 for a changed or previewed one, including the warnings about the source. */
  async toWriteResponse(
    { design, warnings, outcome, file, isProposed }: DesignWriteResult,
    response: Response,
  ): Promise<WrittenDesignView> {
    if (outcome !== 'created') response.status(200);
    const patternFile = file ? await this.contents.toYaml(file) : await this.contents.readText(design);
    const view = WrittenDesignView.fromEntity(design, { patternFile }, warnings);
    if (outcome !== 'parsed') return view;
    const shown = file ?? (await this.contents.readDesign(design));
    const packed = await packContent(shown.toBytes());
    return Object.assign(view, {
      ...{ id: file ? null : design.id, created_at: null, updated_at: null },
      ...(isProposed ? { workspace_id: null } : {}),
      components: shown.outline.components,
      picture: await this.pictures.drawContent(new Uint8Array(packed), design.name),
    });
  }
}
