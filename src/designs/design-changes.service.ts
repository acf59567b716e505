import { Injectable } from '@nestjs/common';
import { validate } from 'uuid';
import type { Actor } from '../core/access/actor.js';
import { Conflict, InvalidRequest } from '../core/errors/app-error.js';
import type { FormFile } from '../core/rest/form-uploads.service.js';
import { Precondition } from '../core/rest/precondition.js';
import {
  assertReadOnlyUnchanged,
  definedFields,
  hasReadOnlyContent,
  hasReadOnlyField,
} from '../core/rest/read-only-fields.js';
import { parseFlag } from '../core/schema/input-fields.js';
import { assertVisibilityChange } from '../workspaces/workspace-owned/visibility-change.js';
import { DesignContentsStore, type VersionContent } from './contents/design-contents.store.js';
import { type PreparedVersion, VersionWriter } from './contents/version-writer.service.js';
import { Design, type DesignLocation } from './design.entity.js';
import { type DesignChange, type DesignImport, type DesignSourceInput, isSaved } from './design.inputs.js';
import type { DesignWriteResult } from './design.presenter.js';
import { DesignView } from './design.view.js';
import { DesignRevisionService } from './design-revision.service.js';
import { DesignSourceReader, type ParsedDesignSource } from './design-source.reader.js';
import { DesignsService } from './designs.service.js';
import { parseSourceTypes, SOURCE_TYPE_SEGMENTS, type SourceType } from './formats/source-type.js';

const CATALOG_PATH = '/api/pattern/catalog';

/** Changes designs: every change of the content is a new version. */
@Injectable()
export class DesignChangesService {
  constructor(
    private readonly designs: DesignsService,
    private readonly contents: DesignContentsStore,
    private readonly versions: VersionWriter,
    private readonly sources: DesignSourceReader,
    private readonly revisions: DesignRevisionService,
  ) {}

  /**
   * Changes the content, the name and the visibility, if present in the request.
   * @param target the id of the design, or the source type of the content, in which case the body identifies the design
   */
  async update(
    actor: Actor,
    target: string,
    input: DesignChange,
    files: FormFile[],
    match: Precondition,
  ): Promise<DesignWriteResult> {
    const { id, types } = parseTarget(target);
    if (id && input.id && input.id.toLowerCase() !== id)
      throw InvalidRequest.forField('/id', 'is not that of the path', 'Leave it out.');
    const { name, pattern_data } = input;
    const current = await this.designs.resolve(actor, { id: id ?? input.id, name, pattern_data });
    await this.designs.assertAllowed(actor, 'update', current);
    return this.change(actor, current, input, files, types, match);
  }

  /** Imports the next version of a design. */
  async renew(
    actor: Actor,
    id: string,
    { type, workspace_id, ...input }: DesignImport,
    files: FormFile[],
    match: Precondition,
  ): Promise<DesignWriteResult> {
    const current = await this.designs.getAllowed(actor, id, 'update');
    if (workspace_id && workspace_id !== current.workspaceId)
      throw InvalidRequest.forField('/workspace_id', 'is not where the design is', 'Leave it out, or move the design.');
    const types = type === undefined ? null : parseSourceTypes(type);
    return this.change(actor, current, { ...input, save: isSaved(input) }, files, types, match);
  }

  /** Stores the content of an earlier version as the next version. Restoring the current content has no effect. */
  async restore(
    actor: Actor,
    current: Design,
    content: VersionContent,
    message: string,
    match: Precondition,
  ): Promise<DesignWriteResult> {
    return this.withNextVersion(actor, current, content, message, async (version) => {
      const design = await this.revisions.write(actor, current.id, { version }, match);
      return { design, warnings: [], outcome: 'changed', file: version?.file ?? null };
    });
  }

  private async change(
    actor: Actor,
    current: Design,
    input: DesignSourceInput & Partial<DesignChange>,
    files: FormFile[],
    types: readonly SourceType[] | null,
    match: Precondition,
  ): Promise<DesignWriteResult> {
    const { name, visibility } = input;
    const source = await this.sources.fromChange(current, input, files, types, name ?? current.name);
    assertVisibilityChange(current, visibility, CATALOG_PATH);
    const warnings = source?.imported.warnings ?? [];
    const properties = { ...definedFields({ name, visibility }), ...movedSource(source) };
    const save = async (version: PreparedVersion | null): Promise<DesignWriteResult> => {
      const file = version?.file ?? null;
      if (!parseFlag(input.save, true)) {
        const design = Object.assign(new Design(), current, properties, version?.design);
        return { design, warnings, outcome: 'parsed', file };
      }
      const design = await this.revisions.write(actor, current.id, { properties, version }, match, async (held) => {
        await this.assertChangeable(held, input);
        if (source) assertUnchangedSince(held, current);
      });
      return { design, warnings, outcome: 'changed', file };
    };
    return source ? this.withNextVersion(actor, current, toVersionContent(source), input.message, save) : save(null);
  }

  /** Prepares the next version for work that stores it; null when the content is unchanged. */
  private async withNextVersion(
    actor: Actor,
    current: Design,
    content: VersionContent,
    message: string | undefined,
    work: (version: PreparedVersion | null) => Promise<DesignWriteResult>,
  ): Promise<DesignWriteResult> {
    if (await this.contents.isCurrentContent(current, content)) return work(null);
    return this.versions.withNextVersion(current, content, versionNote(actor, message), work);
  }

  /** @throws InvalidRequest for a change of a read-only field, or a visibility that may not be set */
  private async assertChangeable(
    design: Design,
    input: DesignSourceInput & Pick<DesignChange, 'visibility'>,
  ): Promise<void> {
    const patternFile = hasReadOnlyContent(input, 'pattern_file') ? await this.contents.readText(design) : '';
    const source = ['source_content', 'source_encoding'].some((name) => hasReadOnlyField(input, name))
      ? await this.contents.readSource(design)
      : undefined;
    assertReadOnlyUnchanged(input, DesignView.fromEntity(design, { patternFile, source }), {
      pattern_file: 'Send a new content in pattern_data.pattern_file, or as a file in the form field "file".',
    });
    assertVisibilityChange(design, input.visibility, CATALOG_PATH);
  }
}

/** What identifies the design in the path of a change: its id, or the format of the new content. */
function parseTarget(target: string): { id?: string; types: readonly SourceType[] | null } {
  if (validate(target)) return { id: target.toLowerCase(), types: null };
  const types = parseSourceTypes(target);
  if (types.length > 0) return { types };
  throw InvalidRequest.forField(
    'id',
    `must be the id of a design, or one of ${SOURCE_TYPE_SEGMENTS.join(', ')}`,
    'Use PUT /api/pattern/{id}.',
  );
}

/** The origin of the source of a design, when it is a file. */
const movedSource = (source: ParsedDesignSource | null): { location?: DesignLocation } =>
  source && source.location.type !== 'inline' ? { location: source.location } : {};

const versionNote = (actor: Actor, message = '') => ({ userId: actor.userId ?? '', message });

const toVersionContent = ({ imported, file }: ParsedDesignSource): VersionContent => ({
  file: imported.design,
  sourceType: imported.sourceType,
  source: file,
});

/** @throws Conflict CONCURRENT_CHANGE when the content on which a change is based is no longer the current one */
function assertUnchangedSince(design: Design, { versionNumber }: Design): void {
  if (design.versionNumber === versionNumber) return;
  throw new Conflict('CONCURRENT_CHANGE', 'another change of this design came first', {
    remedy: 'Read it again and repeat the change.',
  });
}
